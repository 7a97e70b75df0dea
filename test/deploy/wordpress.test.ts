import { expect, it } from 'vitest'
import { MISSING, WordPressSite } from './wordpress-site.js'
it('starts', async () => {
  console.log(MISSING)
  console.time('start')
  const site = await WordPressSite.start({ constants: { LMS_GRAPHQL_HOOKS: 'http://127.0.0.1:9', LMS_GRAPHQL_HOOK_SECRET: 'a-secret-of-at-least-thirty-two-characters' } })
  console.timeEnd('start')
  try {
    console.log(await (await site.rest('GET', '/ldlms/v2/sfwd-courses')).text())
    const cookie = await site.login()
    const page = await site.request('/wp-admin/post-new.php?post_type=sfwd-courses', { headers: { cookie } })
    console.log(page.status, (await page.text()).slice(0, 200))
    console.log(site.complaints())
  } finally { await site.stop() }
})
