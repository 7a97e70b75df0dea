import { DEMO_USERS, type LmsOptions, type RunningLms, SAMPLES, startLms, startLmsThread } from 'lms-graphql/lms'

// A program with the embedded LMS.

const options: LmsOptions = { profile: 'learndash', scale: 1, onCall: ({ method, url }) => console.log(method, url) }

export const lms: RunningLms = await startLms(options)
export const thread: RunningLms = await startLmsThread({ profile: 'lms' })
export const logins: readonly string[] = DEMO_USERS.map(({ login }) => login)
export const samples: object = SAMPLES

await Promise.all([lms.close(), thread.close()])
