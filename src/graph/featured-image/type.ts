import { builder } from '../kit/builder.js'
import { featuredImageColumns } from './columns.js'
import { images } from './loader.js'

export const FeaturedImage = builder.lmsNodeRef('FeaturedImage', {
  columns: featuredImageColumns,
  load: images,
  keyDescription: 'Id of the media item in WordPress: a positive whole number.',
  federated: 'here',
})

interface Size {
  readonly url: string | null
  readonly width: number | null
  readonly height: number | null
}

/** The text for `srcset`, with the sizes that have the shape of the whole image: browsers take any of them. */
function srcSetOf(full: Size, sizes: readonly Size[]): string | null {
  const byWidth = new Map<number, string>()
  for (const { url, width, height } of [...sizes, full]) {
    if (url === null || !width) continue
    const isCut = full.width && full.height && height && Math.abs((width * full.height) / full.width - height) > 1
    if (!isCut) byWidth.set(width, url.replace(/[\s,]/g, encodeURIComponent))
  }
  const widths = [...byWidth].sort(([a], [b]) => a - b)
  return widths.length === 0 ? null : widths.map(([width, url]) => `${url} ${width}w`).join(', ')
}

FeaturedImage.implement({
  description: 'The image that stands for a record, such as on a card of a course: a media item of WordPress.',
  fields: (t) => ({
    srcSet: t.lmsComputed({
      type: 'String',
      description:
        'All sizes of the whole image with their widths, ready for the attribute `srcset`: `URL 300w, URL 1024w`. Sizes that show a part of it are left out. Null when the site knows no width.',
      needs: { columns: ['url', 'width', 'height', 'sizes'] },
      compute: ({ url, width, height, sizes }) => srcSetOf({ url, width, height }, (sizes ?? []) as readonly Size[]),
    }),
  }),
})

/** The relation to the featured image of a record. */
export const featuredImage = {
  key: 'featuredMediaId',
  description:
    'The featured image. Null when the record has none, when it was deleted, or when the caller may not see it. One REST call for each 100 different images of a level, of all types together.',
} as const
