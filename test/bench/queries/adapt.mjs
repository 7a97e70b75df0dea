// Brings our answers to the form in which the benchmark compares servers.
const record = (r) => (r ? { id: r.databaseId, title: r.title } : null)
const byId = (list, f) => list.map(f).sort((a, b) => a.id - b.id)

export const canonical = {
  Q1: ({ course: c }) => ({ ...record(c), slug: c.slug, date: c.date, price: c.price }),
  Q2: (d) => d.courses.nodes.map((c) => ({ ...record(c), price: c.price })),
  Q3: (d) => d.courses.nodes.map((c) => ({ ...record(c), prerequisites: byId(c.prerequisites, record) })),
  Q4: (d) =>
    d.groups.nodes.map((g) => ({
      ...record(g),
      courses: byId(g.courses.nodes, (c) => ({ ...record(c), priceType: c.priceType, prerequisites: byId(c.prerequisites, record) })),
    })),
  Q5: (d) =>
    d.user.courseProgress.nodes
      .map(({ course, status, stepsCompleted }) => ({
        id: course.databaseId,
        status,
        stepsCompleted,
        title: course.title,
        lessons: course.lessons.nodes.map((l) => l.title).sort(),
      }))
      .sort((a, b) => a.id - b.id),
  Q6: (d) => d.courses.nodes.map((c) => ({ ...record(c), lessons: byId(c.lessons.nodes, record), quizzes: byId(c.quizzes.nodes, record) })),
  Q7: (d) =>
    Array.from({ length: 25 }, (_, k) => {
      const q = d[`q${k + 1}`]
      return { ...record(q), quiz: record(q.quiz) }
    }),
}
