import { type GraphQLArgument, getNullableType, isEnumType, isRequiredArgument, isScalarType, Kind, print, type ValueNode } from 'graphql'
import { useEffect, useId, useState } from 'react'
import { select } from '../editors.js'
import { plain, Text } from '../text.js'
import { placeholder } from './defaults.js'
import { argumentOf, setArgument } from './edits.js'
import type { Row } from './rows.js'
import { definitionsOf, follow } from './scope.js'
import type { EditedDocument } from './use-document.js'

/** What the active field is, and its arguments when it is selected. */
export function Details({ row, document }: { row: Row; document: EditedDocument }) {
  const { entry, isFixed } = row
  const { field, own, fragments, inside } = entry
  const [fragment] = isFixed ? fragments : []
  const definition = definitionsOf(document.parsed).find((each) => each.name?.value === fragment && each.kind === Kind.FRAGMENT_DEFINITION)
  return (
    <section className="fields-details" aria-label="Field">
      <div className="fields-signature">
        {field ? (
          <>
            <b>{field.name}</b>: {String(field.type)}
          </>
        ) : (
          <b>{entry.key}</b>
        )}
      </div>
      <p id="fields-description">
        <Text>{(field ? field.description : inside?.type.description) ?? ''}</Text>
        {field?.deprecationReason != null && <Text>{` Deprecated: ${field.deprecationReason}`}</Text>}
      </p>
      {definition && (
        <p>
          Fragment {fragment} selects it.{' '}
          <button type="button" className="fields-button" onClick={() => document.choose(definition)}>
            Edit the fragment
          </button>
        </p>
      )}
      {field && own.length > 0 && field.args.length > 0 && (
        <div className="fields-arguments">
          {field.args.map((argument) => (
            <Argument key={argument.name} argument={argument} row={row} document={document} />
          ))}
        </div>
      )}
    </section>
  )
}

/** An argument: an input for plain values, else a button that goes to its place in the query. */
function Argument({ argument, row, document }: { argument: GraphQLArgument; row: Row; document: EditedDocument }) {
  const id = useId()
  const { name, type, description } = argument
  const given = argumentOf(row.entry, name)?.value
  const choices = choicesOf(argument)
  const isPlain = !given || 'value' in given
  const shown = given ? shorten(print(given)) : 'Add to the query'

  const set = (value: string | undefined): void => {
    document.edit((now, into) => {
      const entry = follow(now, into, row.path)?.at(-1)
      return entry && setArgument(now, entry, name, value)
    })
  }
  const open = (): void => {
    if (!given) set(placeholder(type))
    document.edit((now, into) => {
      const entry = follow(now, into, row.path)?.at(-1)
      const loc = entry && argumentOf(entry, name)?.value.loc
      if (loc) select(document.editor, loc.start, loc.end)
      return undefined
    })
  }

  return (
    <div className="fields-argument" title={plain(description ?? '')}>
      <label htmlFor={id}>
        {name}
        {isRequiredArgument(argument) && <span title="required"> *</span>}
      </label>
      {choices && isPlain ? (
        <select id={id} value={textOf(given)} onChange={({ target: { value } }) => set(value === '' ? undefined : value)}>
          {!isRequiredArgument(argument) && <option value="">not set</option>}
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      ) : isText(argument) && isPlain ? (
        <TextInput id={id} argument={argument} text={textOf(given)} set={set} />
      ) : (
        <button id={id} type="button" className="fields-button" title="Edit in the query" aria-label={`${name}: ${shown}`} onClick={open}>
          {shown}
        </button>
      )}
    </div>
  )
}

/** Writes its text into the query when it loses the focus, or with Enter. */
function TextInput(props: { id: string; argument: GraphQLArgument; text: string; set: (value: string | undefined) => void }) {
  const { id, argument, text, set } = props
  const [typed, setTyped] = useState(text)
  useEffect(() => setTyped(text), [text])
  const value = writtenValue(argument, typed)
  const commit = (): void => {
    if (typed !== text && value !== null) set(value)
  }
  return (
    <input
      id={id}
      value={typed}
      placeholder={String(argument.type)}
      inputMode={isNumber(argument) ? 'decimal' : 'text'}
      aria-invalid={value === null}
      aria-required={isRequiredArgument(argument)}
      onChange={(event) => setTyped(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  )
}

const nameOfType = ({ type }: GraphQLArgument): string => String(getNullableType(type))

const isNumber = (argument: GraphQLArgument): boolean => ['Int', 'Float'].includes(nameOfType(argument))

const isText = (argument: GraphQLArgument): boolean =>
  isScalarType(getNullableType(argument.type)) && ['Int', 'Float', 'ID', 'String'].includes(nameOfType(argument))

function choicesOf(argument: GraphQLArgument): string[] | undefined {
  const type = getNullableType(argument.type)
  if (isEnumType(type)) return type.getValues().map(({ name }) => name)
  return nameOfType(argument) === 'Boolean' ? ['true', 'false'] : undefined
}

/** The GraphQL value of a typed text: undefined when the argument is to be removed, null when the text is no value. */
function writtenValue(argument: GraphQLArgument, text: string): string | undefined | null {
  if (text === '') return isRequiredArgument(argument) ? null : undefined
  if (!isNumber(argument)) return JSON.stringify(text)
  const number = text.trim() === '' ? Number.NaN : Number(text)
  const isValid = nameOfType(argument) === 'Int' ? Number.isInteger(number) && Math.abs(number) < 2 ** 31 : Number.isFinite(number)
  return isValid ? String(number) : null
}

function textOf(value: ValueNode | undefined): string {
  return value && 'value' in value ? String(value.value) : ''
}

const shorten = (text: string): string => (text.length > 40 ? `${text.slice(0, 39)}…` : text)
