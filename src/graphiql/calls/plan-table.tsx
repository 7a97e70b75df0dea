import { count, digits, STEP } from '../words.js'
import type { PlanExplanation, Step } from './explanation.js'

/** The REST calls that an operation would make, by wave. */
export function PlanTable({ plan: { steps } }: { plan: PlanExplanation }) {
  const waves = [...new Set(steps.map(({ wave }) => wave))]
  if (steps.length === 0) return <p className="calls-text">The query needs no REST call.</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: A region that scrolls needs the focus to be scrolled by keyboard.
    <section className="calls-scroll" tabIndex={0} aria-label="Plan of the operation">
      <table className="calls-plan">
        <thead>
          <tr>
            <th scope="col">route</th>
            <th scope="col">fields</th>
            <th scope="col" className="calls-number">
              calls
            </th>
          </tr>
        </thead>
        {waves.map((wave) => (
          <tbody key={wave}>
            <tr className="calls-wave-name">
              <th scope="rowgroup" title={STEP}>
                step {wave}
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
  )
}

function StepRow({ step: { method, route, batch, expected, max, paths } }: { step: Step }) {
  const fields = paths.join(', ')
  return (
    <tr>
      <td className="calls-route" title={`${method} ${route}`}>
        <b>{method}</b> {route} {batch > 1 && <small>{count(batch, 'record')} per call</small>}
      </td>
      <td className="calls-fields" title={fields}>
        {fields}
      </td>
      <td className="calls-number" title={`at most ${digits(max)}`}>
        {digits(Math.ceil(expected))}
        <span className="visually-hidden">, at most {digits(max)}</span>
      </td>
    </tr>
  )
}
