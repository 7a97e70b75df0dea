import { RestError } from './errors.js'
import type { Switches } from './profile/switches.js'

/** Italian messages by error code. `%s` is replaced by the names of the parameters. */
const ITALIAN: Readonly<Record<string, string>> = {
  rest_no_route: 'Nessun percorso corrisponde a questo URL e a questo metodo di richiesta.',
  rest_missing_callback_param: 'Parametri mancanti: %s',
  rest_invalid_param: 'Parametri non validi: %s',
  rest_post_invalid_id: 'ID non valido.',
  rest_user_invalid_id: 'ID utente non valido.',
  rest_price_type_invalid: 'Tipo di prezzo non valido.',
  rest_post_not_found: 'Nessun progresso in questo corso.',
  rest_post_invalid_page_number: 'Il numero di pagina richiesto è maggiore del numero di pagine disponibili.',
  rest_already_trashed: "L'articolo è già stato eliminato.",
  rest_post_incorrect_password: 'Password errata.',
  incorrect_password: 'La password fornita non è valida.',
  invalid_username: 'Nome utente sconosciuto.',
}

const REFUSED = 'Non hai i permessi per farlo.'
const OTHER = 'Si è verificato un errore.'

/** The error with its message in the language of the site. The code stays. */
export function inLanguage(error: RestError, language: Switches['language']): RestError {
  if (language === 'en') return error
  const { status, code, data } = error
  const { params = {} } = data
  const names = (Array.isArray(params) ? params : Object.keys(params)).join(', ')
  const message = ITALIAN[code] ?? (status === 401 || status === 403 ? REFUSED : OTHER)
  return new RestError(status, code, message.replace('%s', names), data)
}
