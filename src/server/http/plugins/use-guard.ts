import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import type { PreparedOperations } from '../../../engine/prepare/index.js'
import { isObject } from '../../../upstream/errors.js'
import { parseWithin } from '../../limits/document.js'
import type { Guard } from '../../limits/guard.js'
import { boundedParts, boundedResult, type PartOfResult } from '../results.js'

/** Holds requests and answers to what the guard allows. */
export const useGuard = (guard: Guard, prepared: PreparedOperations): Plugin => ({
  onParams({ params, setParams }) {
    // What is no object at all is refused further on.
    if (isObject(params)) setParams(guard.admit(params))
  },
  onParse({ setParseFn }) {
    setParseFn((source, options) => parseWithin(guard.limits, source, options))
  },
  onValidate({ setValidationFn }) {
    setValidationFn((_, document) => (prepared.isValid(document) ? [] : guard.validate(document)))
  },
  onExecutionResult({ result, setResult }) {
    if (!result || Array.isArray(result)) return
    if (isAsyncIterable(result)) setResult(boundedParts(result as AsyncIterable<PartOfResult>, guard.limits) as never)
    else setResult(boundedResult(result as ExecutionResult, guard.limits))
  },
})
