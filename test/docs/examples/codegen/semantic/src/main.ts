import { titles } from './titles.js'

for (const line of await titles(process.env.GATEWAY ?? 'http://127.0.0.1:4000/graphql')) console.log(line)
