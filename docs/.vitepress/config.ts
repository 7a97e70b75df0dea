import { type DefaultTheme, defineConfig } from 'vitepress'
import { copyFiles, fileText } from './files.js'
import { writeForModels } from './llms.js'
import { copyOf, readPages } from './markdown.js'
import { addressOf, missingPages, pageFiles, slugOf, titleOf } from './pages.js'
import { PLAN } from './plan.js'

const title = 'lms-graphql'
const description = 'A GraphQL gateway in front of a learning-management (LMS) REST interface, with an embedded LMS to try it on.'

/** Files of the repository that pages link to. */
const linked = new Set<string>()

const existing = pageFiles()
const sidebar: DefaultTheme.SidebarItem[] = PLAN.map(({ title, pages }) => ({
  text: title,
  items: pages.filter((page) => existing.includes(page)).map((page) => ({ text: titleOf(page), link: addressOf(page) })),
})).filter(({ items }) => items.length > 0)

/** The first page of a list that is written. */
const firstOf = (...pages: string[]): string => addressOf(pages.find((page) => existing.includes(page)) ?? 'index.md')

export default defineConfig({
  title,
  description,
  lang: 'en',
  cleanUrls: true,
  // Pages that are planned but not written: `test/docs/pages.test.ts` fails while there are any.
  ignoreDeadLinks: missingPages().map((page) => new RegExp(`(^|/)${addressOf(page).slice(1).replace(/\/$/, '/index')}$`)),
  head: [
    ['link', { rel: 'icon', type: 'image/svg+xml', href: '/logo.svg' }],
    ['meta', { name: 'theme-color', content: '#b0267e' }],
  ],
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    config: (md) => readPages(md, (path) => linked.add(path)),
  },
  themeConfig: {
    logo: { src: '/logo.svg', alt: '' },
    search: { provider: 'local', options: { translations: { button: { buttonText: 'Search', buttonAriaLabel: 'Search' } } } },
    outline: [2, 3],
    nav: [
      { text: 'Start', link: firstOf('getting-started.md', 'architecture.md') },
      { text: 'Front ends', link: firstOf('front-ends/index.md', 'kit.md') },
      { text: 'Not in the graph', link: firstOf('not-in-the-graph.md') },
      { text: 'Settings', link: firstOf('reference/settings.md') },
      { text: 'Schema', link: firstOf('reference/schema.md') },
    ],
    sidebar,
    footer: { message: 'MIT licence' },
  },
  vite: {
    plugins: [
      {
        name: 'repository-files',
        configureServer: (server) => {
          server.middlewares.use((request, response, next) => {
            const path = [...linked].find((each) => request.url === `/${copyOf(each)}`)
            if (path === undefined) return next()
            response.setHeader('content-type', 'text/plain; charset=utf-8')
            response.end(fileText(path))
          })
        },
      },
    ],
  },
  buildEnd: ({ outDir }) => {
    copyFiles(linked, outDir)
    writeForModels(outDir, title, description)
  },
})
