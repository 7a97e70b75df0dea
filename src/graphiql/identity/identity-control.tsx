import { Button, Dialog, useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { type FormEvent, useId, useRef, useState, useSyncExternalStore } from 'react'
import type { Config } from '../config.js'
import { useRun, useTab } from '../tab-state.js'
import { DemoUser } from './demo-user.js'
import { type Credentials, credentialsIn, describeCaller, type Identity, SignInError, type SignInMethod } from './identity.js'
import './identity.css'

/** Shows who the caller is, and lets the person sign in: as a demo user in the current tab, or with credentials for the whole page. */
export function IdentityControl({ config: { users, signIn }, identity }: { config: Config; identity: Identity }) {
  if (users.length > 0) return <DemoUser users={users} />
  return signIn.length > 0 ? <PageIdentity methods={signIn} identity={identity} /> : null
}

function PageIdentity({ methods, identity }: { methods: readonly SignInMethod[]; identity: Identity }) {
  const caller = useSyncExternalStore(identity.subscribe, identity.current)
  const { introspect } = useGraphiQLActions()
  const schema = useGraphiQL((state) => state.schema)
  const tab = useTab()
  const { run, change } = useRun()
  const role = run?.outcome.kind === 'explained' && change === undefined ? run.outcome.explanation.role : undefined
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const sentenceId = useId()

  const close = () => {
    identity.cancel()
    setOpen(false)
    // After the dialog has given the focus back to the page.
    setTimeout(() => button.current?.focus())
  }
  // A gateway may answer introspection to some callers only.
  const changed = () => {
    close()
    if (!schema) void introspect()
  }

  const { name, sentence, isConfirmed } = describeCaller(caller, credentialsIn(tab?.headers))
  return (
    <div className="identity">
      <span className="identity-label" aria-hidden="true">
        Run as
      </span>
      <button
        ref={button}
        type="button"
        className="identity-button"
        title={sentence}
        aria-label={`Run as: ${name}${isConfirmed ? '' : ', not confirmed'}${role ? `, as ${role}` : ''}. Change`}
        aria-describedby={sentenceId}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="1.75" aria-hidden="true">
          <circle cx="12" cy="8" r="4" />
          <path d="M4 21c0-4.4 3.6-7 8-7s8 2.6 8 7" strokeLinecap="round" />
        </svg>
        <span className="identity-name">{name}</span>
        {!isConfirmed && <span className="identity-note">not confirmed</span>}
        {role && <span className="identity-note">as {role}</span>}
      </button>
      <span id={sentenceId} className="visually-hidden">
        {sentence}
      </span>
      <Dialog open={isOpen} onOpenChange={(open) => (open ? setOpen(true) : close())}>
        <SignIn methods={methods} identity={identity} onDone={changed} />
      </Dialog>
    </div>
  )
}

type Kind = 'anonymous' | 'password' | 'bearer'

const KINDS: readonly { kind: Kind; label: string }[] = [
  { kind: 'anonymous', label: 'Visitor, not signed in' },
  { kind: 'password', label: 'Application password' },
  { kind: 'bearer', label: 'Bearer token' },
]

/** The content of the dialog. What is entered is gone when the dialog closes. */
function SignIn({ methods, identity, onDone }: { methods: readonly SignInMethod[]; identity: Identity; onDone: () => void }) {
  const caller = identity.current()
  const kinds = KINDS.filter(({ kind }) => kind === 'anonymous' || methods.includes(kind))
  const [kind, setKind] = useState<Kind>(caller?.credentials.account?.by ?? kinds[1]?.kind ?? 'anonymous')
  const [error, setError] = useState('')
  const [isBusy, setBusy] = useState(false)
  const id = useId()

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const entries = new FormData(event.currentTarget)
    const text = (name: string) => String(entries.get(name) ?? '')
    const credentials: Credentials = {
      ...(kind === 'password' && { account: { by: kind, user: text('user').trim(), password: text('password') } }),
      ...(kind === 'bearer' && { account: { by: kind, token: text('token').trim() } }),
      ...(text('apiKey').trim() !== '' && { apiKey: text('apiKey').trim() }),
    }
    setError('')
    if (!credentials.account && credentials.apiKey === undefined) {
      if (kinds.length === 1) return setError('Enter an API key.')
      identity.signOut()
      return onDone()
    }
    setBusy(true)
    try {
      if (await identity.signIn(credentials, entries.has('keep'))) onDone()
    } catch (problem) {
      const message = problem instanceof Error ? problem.message : String(problem)
      setError(problem instanceof SignInError ? message : `Signing in failed: ${message}`)
    } finally {
      setBusy(false)
    }
  }

  const hasSecret = kind !== 'anonymous' || methods.includes('apiKey')
  return (
    <form className="sign-in-form" onSubmit={submit} aria-describedby={`${id}-about`} noValidate>
      <div className="dialog-head">
        <Dialog.Title className="dialog-title">Sign in</Dialog.Title>
        <Dialog.Close />
      </div>
      <Dialog.Description id={`${id}-about`} className="sign-in-about">
        All tabs of this page send their operations with these credentials.
      </Dialog.Description>
      {caller && <p className="sign-in-current">{describeCaller(caller).sentence}</p>}
      {kinds.length > 1 && (
        <fieldset className="sign-in-kinds">
          <legend>Who you are</legend>
          {kinds.map((each) => (
            <label key={each.kind}>
              <input
                type="radio"
                name="kind"
                value={each.kind}
                checked={kind === each.kind}
                // The dialog leaves the focus where it is.
                // biome-ignore lint/a11y/noAutofocus: The first field of a dialog has the focus when it opens.
                autoFocus={kind === each.kind}
                onChange={() => {
                  setKind(each.kind)
                  setError('')
                }}
              />
              {each.label}
            </label>
          ))}
        </fieldset>
      )}
      {kind === 'password' && (
        <>
          <Field name="user" label="User name" type="text" autoComplete="username" />
          <Field
            name="password"
            label="Application password"
            autoComplete="current-password"
            hint="WordPress makes these under Users › Profile › Application Passwords. The password of your account does not work here."
          />
        </>
      )}
      {kind === 'bearer' && <Field name="token" label="Token" hint="Sent as Authorization: Bearer." />}
      {methods.includes('apiKey') && (
        <Field
          name="apiKey"
          label="API key"
          hint={
            kinds.length > 1
              ? 'Sent as X-API-Key, together with the credentials above. Leave it empty if you have none.'
              : 'Sent as X-API-Key.'
          }
        />
      )}
      {hasSecret && (
        <label className="sign-in-keep">
          <input type="checkbox" name="keep" />
          <span>
            Keep for this browser session
            <small>Otherwise you sign in again after a reload. Links, history and copied text never have credentials.</small>
          </span>
        </label>
      )}
      <div className="sign-in-foot">
        <p className="sign-in-error" role="alert">
          {error}
        </p>
        <div className="sign-in-actions">
          {caller && (
            <Button
              type="button"
              onClick={() => {
                identity.signOut()
                onDone()
              }}
            >
              Sign out
            </Button>
          )}
          <Button type="submit" className="sign-in-submit" disabled={isBusy}>
            {isBusy ? 'Signing in…' : hasSecret ? 'Sign in' : 'Continue without credentials'}
          </Button>
        </div>
      </div>
    </form>
  )
}

interface FieldProps {
  name: string
  label: string
  type?: 'text' | 'password'
  autoComplete?: string
  hint?: string
}

function Field({ name, label, type = 'password', autoComplete = 'off', hint }: FieldProps) {
  const id = useId()
  return (
    <div className="sign-in-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type}
        autoComplete={autoComplete}
        autoCapitalize="none"
        spellCheck={false}
        {...(hint && { 'aria-describedby': `${id}-hint` })}
      />
      {hint && <small id={`${id}-hint`}>{hint}</small>}
    </div>
  )
}
