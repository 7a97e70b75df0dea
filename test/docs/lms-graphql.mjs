#!/usr/bin/env node
// The command `lms-graphql` for the commands of the documentation: it starts the built command line. A server continues in the background
// when it has printed its address, so that the next command of the page can use it; a later server on the same port replaces it, as after
// Ctrl+C. What it prints to a file goes on in that file. DOCS_PORTS maps the ports of the documentation to free ones.
import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const { DOCS_CLI, DOCS_SERVERS, DOCS_PORTS = '{}' } = process.env
const args = process.argv.slice(2)
const ports = JSON.parse(DOCS_PORTS)

/** The port that a server takes: that of its flag or variable, or its default. */
const isLms = args.find((word) => !word.startsWith('-')) === 'lms'
const flag = args.findIndex((word) => /^--port(=|$)/.test(word))
const given = flag < 0 ? process.env.PORT : (args[flag].split('=')[1] ?? args[flag + 1])
const port = given ?? String(ports[isLms ? 4001 : 4000])

const running = `${DOCS_SERVERS}/${port}`

/** Ends the server that has the port, and waits until it has ended. */
async function replace() {
  let pid
  try {
    pid = Number(readFileSync(running, 'utf8'))
    process.kill(pid, 'SIGTERM')
  } catch {
    return
  }
  for (let waited = 0; waited < 400; waited++) {
    try {
      process.kill(pid, 0)
    } catch {
      rmSync(running, { force: true })
      return
    }
    await setTimeout(50)
  }
  throw new Error(`The server with the process id ${pid} does not end.`)
}

const printsOnly = args.some((word) => /^(doctor|check|usage|schema|supergraph|config|--help|-h|--version|-v|--backup)$/.test(word))
if (!printsOnly) await replace()

const isFile = fstatSync(1).isFile()
const log = isFile ? '/proc/self/fd/1' : `${running}.log`
const out = printsOnly || isFile ? 'inherit' : openSync(log, 'w')
const errors = printsOnly ? 'inherit' : openSync(`${running}.err`, 'w')
const child = spawn(process.execPath, [DOCS_CLI, ...args], {
  stdio: ['inherit', out, errors],
  detached: !printsOnly,
  env: { ...process.env, PORT: port },
})
let code
child.once('exit', (status) => {
  code = status ?? 1
})

if (printsOnly) {
  await new Promise((resolve) => child.once('close', resolve))
  process.exitCode = code
} else {
  if (!isFile) closeSync(out)
  closeSync(errors)
  writeFileSync(running, String(child.pid))
  // The first line of a server has its address.
  while (code === undefined && !/^.*https?:\/\/.*\n/.test(readFileSync(log, 'utf8'))) await setTimeout(20)
  if (!isFile) process.stdout.write(`${readFileSync(log, 'utf8').split('\n')[0]}\n`)
  process.stderr.write(readFileSync(`${running}.err`, 'utf8'))
  if (code !== undefined) rmSync(running, { force: true })
  child.unref()
  process.exit(code ?? 0)
}
