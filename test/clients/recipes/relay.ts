import { Environment, Network, RecordSource, Store } from 'relay-runtime'

/** relay-compiler has kept the documents by their hashes: `"persistConfig": { "file": "documents.json", "algorithm": "SHA256" }`. */
export const connect = (url: string, authorization: string): Environment =>
  new Environment({
    network: Network.create(async ({ id, text }, variables) => {
      const document = id ? { extensions: { persistedQuery: { version: 1, sha256Hash: id } } } : { query: text }
      const headers = { authorization, 'content-type': 'application/json' }
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ ...document, variables }) })
      return await response.json()
    }),
    store: new Store(new RecordSource()),
  })
