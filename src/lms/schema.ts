import { FOLDED_COLUMNS } from './folding.js'

/** Version of the tables below, stored in the file as `user_version`. */
export const SCHEMA_VERSION = 4

/** Marks a SQLite file as data of this LMS (`application_id`): "lms1" in ASCII. */
export const APPLICATION_ID = 0x6c6d7331

const POST_COLUMNS = `
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  slug TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL DEFAULT 'draft',
  title TEXT NOT NULL DEFAULT '',
  content TEXT NOT NULL DEFAULT '',
  excerpt TEXT NOT NULL DEFAULT '',
  password TEXT NOT NULL DEFAULT '',
  author INTEGER NOT NULL REFERENCES users (id),
  parent INTEGER NOT NULL DEFAULT 0,
  menu_order INTEGER NOT NULL DEFAULT 0,
  featured_media INTEGER NOT NULL DEFAULT 0,
  template TEXT NOT NULL DEFAULT '',
  comment_status TEXT NOT NULL DEFAULT 'closed',
  ping_status TEXT NOT NULL DEFAULT 'closed',
  meta TEXT NOT NULL DEFAULT '{}',
  revisions INTEGER NOT NULL DEFAULT 0,
  date TEXT,
  date_gmt TEXT,
  modified TEXT NOT NULL,
  modified_gmt TEXT NOT NULL,
  ${FOLDED_COLUMNS.join(',\n  ')}`

const flags = (...names: string[]): string => names.map((name) => `${name} INTEGER NOT NULL DEFAULT 0`).join(',\n  ')
const texts = (...names: string[]): string => names.map((name) => `${name} TEXT NOT NULL DEFAULT ''`).join(',\n  ')

const postTable = (name: string, own: string): string => `
CREATE TABLE ${name} (${POST_COLUMNS}${own && `,\n  ${own}`}
);
CREATE UNIQUE INDEX ${name}_slug ON ${name} (slug) WHERE slug <> '';
CREATE INDEX ${name}_date ON ${name} (date_gmt, id);
CREATE INDEX ${name}_modified ON ${name} (modified_gmt, id);
CREATE INDEX ${name}_title ON ${name} (status, title_folded, id);
CREATE INDEX ${name}_author ON ${name} (author);
CREATE INDEX ${name}_menu_order ON ${name} (menu_order, id);
CREATE INDEX ${name}_parent ON ${name} (parent) WHERE parent <> 0;`

const COURSE_COLUMNS = `
  price_type TEXT NOT NULL DEFAULT 'open',
  ${texts('materials', 'button_label', 'button_url', 'price')},
  prerequisites TEXT NOT NULL DEFAULT '[]',
  prerequisite_compare TEXT NOT NULL DEFAULT 'ANY',
  points REAL,
  points_access REAL,
  expire_access_days INTEGER,
  certificate INTEGER NOT NULL DEFAULT 0,
  lesson_per_page_custom INTEGER NOT NULL DEFAULT 0,
  topic_per_page_custom INTEGER NOT NULL DEFAULT 0,
  -- Start and end in seconds since 1970, and the most learners. Null is no limit.
  start_date INTEGER,
  end_date INTEGER,
  seats_limit INTEGER,
  ${flags('prerequisite_enabled', 'points_enabled', 'progression_disabled', 'expire_access', 'expire_access_delete_progress')},
  ${flags('materials_enabled', 'disable_content_table', 'lessons_per_page')}`

const LESSON_COLUMNS = `
  video_shown TEXT NOT NULL DEFAULT 'BEFORE',
  assignment_upload_limit_count INTEGER NOT NULL DEFAULT 1,
  ${texts('materials', 'video_url', 'assignment_upload_limit_extensions', 'assignment_upload_limit_size')},
  ${texts('visible_type', 'visible_after_specific_date')},
  ${flags('materials_enabled', 'video_enabled', 'video_auto_complete', 'video_auto_complete_delay', 'video_show_complete_button')},
  ${flags('video_auto_start', 'video_show_controls', 'video_focus_pause', 'video_resume', 'assignment_upload_enabled')},
  ${flags('assignment_points_enabled', 'assignment_points_amount', 'assignment_auto_approve', 'assignment_deletion_enabled')},
  ${flags('forced_timer_enabled', 'forced_timer_amount', 'course', 'is_sample', 'visible_after')}`

const QUIZ_COLUMNS = `
  materials TEXT NOT NULL DEFAULT '',
  threshold TEXT NOT NULL DEFAULT '0.8',
  passing_percentage TEXT NOT NULL DEFAULT '80',
  certificate INTEGER`

const QUESTIONS = `
CREATE TABLE questions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  internal_id INTEGER NOT NULL UNIQUE,
  quiz INTEGER NOT NULL,
  position INTEGER NOT NULL,
  points INTEGER NOT NULL DEFAULT 1,
  answer_type TEXT NOT NULL DEFAULT 'single',
  answers TEXT NOT NULL DEFAULT '[]',
  different_points INTEGER,
  criteria_width INTEGER NOT NULL DEFAULT 20,
  ${texts('title', 'question', 'correct_message', 'incorrect_message', 'hint')},
  ${flags('same_message', 'hint_enabled', 'points_in_box', 'answer_points', 'disable_correct')}
);
CREATE INDEX questions_quiz ON questions (quiz, position);`

const PEOPLE = `
CREATE TABLE users (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  login TEXT NOT NULL UNIQUE COLLATE NOCASE,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  description TEXT NOT NULL,
  registered_date TEXT NOT NULL,
  role TEXT NOT NULL CHECK (role IN ('admin', 'leader', 'subscriber')),
  password_hash TEXT NOT NULL
);
CREATE TABLE group_users (group_id INTEGER NOT NULL, user INTEGER NOT NULL, PRIMARY KEY (group_id, user)) WITHOUT ROWID;
CREATE INDEX group_users_user ON group_users (user, group_id);
CREATE TABLE group_leaders (group_id INTEGER NOT NULL, user INTEGER NOT NULL, PRIMARY KEY (user, group_id)) WITHOUT ROWID;
CREATE TABLE progress (
  user INTEGER NOT NULL,
  course INTEGER NOT NULL,
  status TEXT NOT NULL,
  last_step INTEGER NOT NULL DEFAULT 0,
  steps_completed INTEGER NOT NULL DEFAULT 0,
  steps_total INTEGER NOT NULL DEFAULT 0,
  date_started TEXT,
  date_completed TEXT,
  enrolled_at INTEGER, -- In seconds since 1970.
  PRIMARY KEY (user, course)
) WITHOUT ROWID;`

const STRUCTURE = `
CREATE TABLE terms (
  id INTEGER PRIMARY KEY,
  taxonomy TEXT NOT NULL,
  parent INTEGER NOT NULL DEFAULT 0,
  ${texts('slug', 'name', 'name_folded', 'description')},
  UNIQUE (taxonomy, slug)
);
CREATE TABLE post_terms (
  post INTEGER NOT NULL,
  taxonomy TEXT NOT NULL,
  term INTEGER NOT NULL,
  PRIMARY KEY (post, taxonomy, term)
) WITHOUT ROWID;
CREATE INDEX post_terms_term ON post_terms (taxonomy, term, post);
-- The steps of a course, in order. A step below a lesson has the lesson, a step below a topic has both.
CREATE TABLE course_steps (
  course INTEGER NOT NULL,
  position INTEGER NOT NULL,
  step INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('lesson', 'topic', 'quiz')),
  lesson INTEGER NOT NULL DEFAULT 0,
  topic INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (course, kind, position),
  UNIQUE (course, step)
) WITHOUT ROWID;
CREATE TABLE group_courses (
  group_id INTEGER NOT NULL,
  course INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (group_id, course)
) WITHOUT ROWID;
CREATE TABLE price_types (
  slug TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  description TEXT NOT NULL,
  position INTEGER NOT NULL
) WITHOUT ROWID;`

const MEDIA = `
CREATE TABLE media (
  id INTEGER PRIMARY KEY,
  -- The subject that the picture shows, and the record to which it is attached.
  subject INTEGER NOT NULL,
  parent INTEGER NOT NULL,
  author INTEGER NOT NULL,
  slug TEXT NOT NULL UNIQUE,
  -- Its folder and name, without the size.
  file TEXT NOT NULL UNIQUE,
  ${texts('title', 'title_folded', 'alt_text', 'caption', 'date', 'date_gmt', 'modified', 'modified_gmt')}
);`

/** The tables and indexes of the LMS. */
export const SCHEMA = [
  PEOPLE,
  STRUCTURE,
  postTable('groups', ''),
  postTable('courses', COURSE_COLUMNS),
  postTable('lessons', LESSON_COLUMNS),
  postTable('quizzes', QUIZ_COLUMNS),
  QUESTIONS,
  MEDIA,
].join('\n')
