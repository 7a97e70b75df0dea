import type { ExecutionResult } from 'graphql'
import { isAsyncIterable, type Plugin } from 'graphql-yoga'
import { isObject } from '../../../upstream/errors.js'
import type { Documents } from '../../documents.js'
import { parseWithin } from '../../limits/document.js'
import type { Guard } from '../../limits/guard.js'
import { boundedParts, boundedResult, type PartOfResult } from '../results.js'

/** Holds requests and answers to what the guard allows. */
export const useGuard = (guard: Guard, documents: Documents): Plugin => ({
  onParams({ params, setParams }) {
    // What is no object at all is refused further on.
    if (isObject(params)) setParams(guard.admit(params))
  },
  onParse({ setParseFn }) {
    setParseFn((source, options) => parseWithin(guard.limits, source, options))
  },
  onValidate({ setValidationFn }) {
    setValidationFn((_, document) => (documents.isGood(document) ? [] : guard.validate(document)))
  },
  onExecutionResult({ result, setResult }) {
    if (!result || Array.isArray(result)) return
    if (isAsyncIterable(result)) setResult(boundedParts(result as AsyncIterable<PartOfResult>, guard.limits) as never)
    else setResult(boundedResult(result as ExecutionResult, guard.limits))
  },
})
