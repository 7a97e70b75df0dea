/** The embedded LMS: the REST interface over SQLite, with a sample school. */
export {
  DEMO_USERS,
  type DemoUser,
  type LmsCall,
  type LmsOptions,
  type Role,
  type RunningLms,
  SAMPLES,
  startLms,
  startLmsThread,
} from './lms/index.js'
