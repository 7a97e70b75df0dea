import { SAMPLES } from '../../src/lms/index.js'
import type { Faults } from './faulty-upstream.js'
import type { Ids } from './random-arguments.js'

const range = (from: number, count: number): number[] => Array.from({ length: count }, (_, index) => from + index)

/** Records with a password show more to editors, so they are requested often. */
const often = (id: number): number[] => Array(6).fill(id)

/** Ids of the sample school for random operations, including records that fail. */
export const IDS: Ids = {
  Course: [...range(10_001, 40), ...often(SAMPLES.protectedCourse)],
  Lesson: [...range(100_001, 60), ...often(SAMPLES.protectedLesson)],
  Quiz: [...range(300_001, 30), ...often(SAMPLES.protectedQuiz)],
  Topic: range(400_001, 12),
  Group: [...range(1_001, 13), ...often(SAMPLES.protectedGroup)],
  Question: range(500_001, 40),
  FeaturedImage: range(800_001, 12),
  LmsTerm: range(700_001, 38),
  User: [2, 3, 3, 3, 600_001, 600_002, 600_005, 600_006],
  Author: range(1, 20),
}

/** Its failures. */
export const FAULTS: Faults = {
  records: new Map([
    [10_020, 'internal error'],
    [10_021, 'forbidden'],
    [10_022, 'garbage'],
    [1_007, 'not found'],
    [100_030, 'bad gateway page'],
    [100_031, 'list for a record'],
    [300_010, 'not found'],
    [300_011, 'forbidden'],
    [500_010, 'garbage'],
  ]),
  lists: [
    [/sfwd-lessons\?.*course=10012\b/, 'internal error'],
    [/sfwd-quiz\?.*course=10013\b/, 'forbidden'],
    [/groups\/1003\/courses/, 'record for a list'],
    [/groups\/1004\/courses/, 'garbage'],
    [/users\/600005\//, 'bad gateway page'],
    [/users\/600006\//, 'forbidden'],
  ],
  odd: new Set([10_005, 10_006, 100_004, 100_005, 100_006, 300_003, 1_002]),
}
