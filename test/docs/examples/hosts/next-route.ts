// app/api/lms/[[...path]]/route.ts
import { createGateway } from 'lms-graphql'

// The page of GraphiQL and its files are below the path.
const gateway = createGateway({ site: { url: process.env.LMS_URL ?? 'https://example.org/wp-json' }, http: { path: '/api/lms' } })

export const dynamic = 'force-dynamic'

const handle = (request: Request): Promise<Response> => gateway.fetch(request)

export { handle as GET, handle as HEAD, handle as OPTIONS, handle as POST }
