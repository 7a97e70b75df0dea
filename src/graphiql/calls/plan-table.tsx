import { count, digits } from '../words.js'
import type { PlanExplanation, Step } from './explanation.js'

/** The REST calls that an operation would make, by wave. */
export function PlanTable({ plan: { steps } }: { plan: PlanExplanation }) {
  const waves = [...new Set(steps.map(({ wave }) => wave))]
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: A region that scrolls needs the focus to be scrolled by keyboard. */}
      <section className="calls-scroll" tabIndex={0} aria-label="Plan of the operation">
        <table className="calls-plan">
          <thead>
            <tr>
              <th scope="col">route</th>
              <th scope="col">fields</th>
              <th scope="col" className="calls-number">
                expected
              </th>
              <th scope="col" className="calls-number">
                max
              </th>
            </tr>
          </thead>
          {waves.map((wave) => (
            <tbody key={wave}>
              <tr className="calls-wave-name">
                <th scope="rowgroup" colSpan={4}>
                  wave {wave}
                </th>
              </tr>
              {steps
                .filter((step) => step.wave === wave)
                .map((step) => (
                  <StepRow key={`${step.method} ${step.route} ${step.paths.join()}`} step={step} />
                ))}
            </tbody>
          ))}
        </table>
      </section>
      <div className="calls-foot">
        <p>{steps.length > 0 ? 'The plan of the gateway. It made no REST call for it.' : 'The operation needs no REST call.'}</p>
      </div>
    </>
  )
}

function StepRow({ step: { method, route, batch, expected, max, paths } }: { step: Step }) {
  const fields = paths.join(', ')
  return (
    <tr>
      <td className="calls-route" title={`${method} ${route}`}>
        <b>{method}</b> {route} {batch > 1 && <small>{count(batch, 'record')} in a call</small>}
      </td>
      <td className="calls-fields" title={fields}>
        {fields}
      </td>
      <td className="calls-number">{digits(Math.ceil(expected))}</td>
      <td className="calls-number">{digits(max)}</td>
    </tr>
  )
}

/** The sums of a plan. */
export function PlanTotals({ plan: { predicted, refusal } }: { plan: PlanExplanation }) {
  if (refusal !== undefined) return <p className="calls-sums calls-planned calls-failed">Would be refused before the first REST call</p>
  const { expected, max, waves } = predicted
  return (
    <p className="calls-sums calls-planned">
      <span>
        <strong>{count(Math.ceil(expected), 'REST call')}</strong> expected
      </span>
      <span>max {digits(max)}</span>
      <span>{count(waves, 'wave')}</span>
    </p>
  )
}
