// Sets up OpenTelemetry for the gateway. Node.js runs this file first: NODE_OPTIONS="--import /etc/lms-graphql/tracing.mjs"
// The variables OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_SAMPLER and others of OpenTelemetry apply.
import { isMainThread } from 'node:worker_threads'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { NodeSDK } from '@opentelemetry/sdk-node'

// The embedded LMS runs in a thread of its own, which makes no spans.
if (isMainThread) {
  const sdk = new NodeSDK({
    serviceName: process.env.OTEL_SERVICE_NAME ?? 'lms-graphql',
    traceExporter: new OTLPTraceExporter(),
    // The gateway makes the spans. The instrumentation of undici would make those of REST calls twice.
    instrumentations: [],
  })
  sdk.start()
}
