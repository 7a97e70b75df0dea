<?php
/**
 * Plugin Name: LMS GraphQL hooks
 * Description: Tells gateways of lms-graphql which records of the LMS have changed.
 * Requires at least: 5.6
 * Requires PHP: 7.4
 *
 * Copy this file to wp-content/mu-plugins, and configure it in wp-config.php:
 *
 *     define( 'LMS_GRAPHQL_HOOKS', 'https://graphql.example.org' );     // Or an array of addresses of gateways.
 *     define( 'LMS_GRAPHQL_HOOK_SECRET', '…' );                         // HOOK_SECRET of the gateways, at least 32 characters without commas.
 *
 * In a network, the changes of one site are sent: the main one, or the one with this id:
 *
 *     define( 'LMS_GRAPHQL_HOOKS_BLOG', 3 );
 *
 * @package LMS_GraphQL_Hooks
 */

defined( 'ABSPATH' ) || exit;

/**
 * Changes of records, each once. Large numbers become changes of a whole type, and finally of the whole site.
 */
final class LMS_GraphQL_Hooks_Changes {

	/** Records of one type; more become a change of the type. */
	const MAX_IDS = 100;

	/** Types without ids; more become a change of the site. */
	const MAX_TYPES = 3;

	/**
	 * Kinds by type and id; the id 0 is the whole type. The value of a kind is the names of the columns that have changed, or true when any
	 * may have.
	 *
	 * @var array<string, array<int, array<string, true|string[]>>>
	 */
	private $kinds = array();

	/**
	 * Returns a change of the whole site.
	 */
	public static function of_site(): self {
		$changes = new self();
		$changes->add( 'site', 0, 'updated' );
		return $changes;
	}

	/**
	 * Adds a change.
	 *
	 * @param string     $type    Type of the record.
	 * @param int        $id      Id of the record, or 0 for all records of the type.
	 * @param string     $kind    One of created, updated, deleted, members.
	 * @param array|null $columns Names of the columns that have changed, or null when any may have.
	 */
	public function add( string $type, int $id, string $kind, ?array $columns = null ): void {
		if ( isset( $this->kinds['site'] ) ) {
			return;
		}
		if ( 'site' === $type ) {
			$this->kinds = array( 'site' => array( 0 => array( 'updated' => true ) ) );
			return;
		}
		$of_type = $this->kinds[ $type ] ?? array();
		if ( 0 === $id || isset( $of_type[0] ) ) {
			$of_type = self::without_ids( $of_type, $kind );
		} else {
			$of_type[ $id ] = self::with_kind( $of_type[ $id ] ?? array(), $kind, $columns );
			if ( count( $of_type ) > self::MAX_IDS ) {
				$of_type = self::without_ids( $of_type, $kind );
			}
		}
		$this->kinds[ $type ] = $of_type;

		$whole = array_filter(
			$this->kinds,
			static function ( array $ids ): bool {
				return isset( $ids[0] );
			}
		);
		if ( count( $whole ) > self::MAX_TYPES ) {
			$this->add( 'site', 0, 'updated' );
		}
	}

	/**
	 * Adds changes as `to_list` returns them.
	 *
	 * @param array $changes Changes.
	 */
	public function add_list( array $changes ): void {
		foreach ( $changes as $change ) {
			$this->add( $change['type'], $change['id'] ?? 0, $change['kind'], $change['columns'] ?? null );
		}
	}

	/**
	 * Returns whether there are none.
	 */
	public function is_empty(): bool {
		return array() === $this->kinds;
	}

	/**
	 * Returns the changes in the form in which gateways receive them.
	 */
	public function to_list(): array {
		$list = array();
		foreach ( $this->kinds as $type => $ids ) {
			foreach ( $ids as $id => $kinds ) {
				foreach ( $kinds as $kind => $columns ) {
					$change = 0 === $id ? compact( 'type', 'kind' ) : compact( 'type', 'id', 'kind' );
					$list[] = true === $columns ? $change : $change + compact( 'columns' );
				}
			}
		}
		return $list;
	}

	/**
	 * Adds a kind to those of one record. Of created, updated and deleted, one remains.
	 *
	 * @param array      $kinds   Kinds so far.
	 * @param string     $kind    Further kind.
	 * @param array|null $columns Its columns, or null.
	 */
	private static function with_kind( array $kinds, string $kind, ?array $columns ): array {
		if ( 'updated' === $kind && ( isset( $kinds['created'] ) || isset( $kinds['deleted'] ) ) ) {
			return $kinds;
		}
		$before = $kinds['updated'] ?? array();
		if ( 'members' !== $kind ) {
			unset( $kinds['created'], $kinds['updated'], $kinds['deleted'] );
		}
		$are_known      = 'updated' === $kind && null !== $columns && true !== $before;
		$kinds[ $kind ] = $are_known ? array_values( array_unique( array_merge( $before, $columns ) ) ) : true;
		return $kinds;
	}

	/**
	 * Replaces the records of a type by the whole type.
	 *
	 * @param array  $ids  Kinds by id.
	 * @param string $kind Further kind.
	 */
	private static function without_ids( array $ids, string $kind ): array {
		$whole = array();
		foreach ( array_merge( array( array( $kind => true ) ), $ids ) as $kinds ) {
			foreach ( array_keys( $kinds ) as $each ) {
				$whole[ 'members' === $each ? 'members' : 'updated' ] = true;
			}
		}
		return array( 0 => $whole );
	}
}

/**
 * One gateway. It gets one delivery at a time, and at most one a second. Changes that come meanwhile, or that cannot be delivered, are kept in the
 * options table, not autoloaded. Those of one second are sent together by one of the requests that have kept some, and those that could not be
 * delivered with a later change or by WP-Cron.
 *
 * The changes of each request are a row of its own, so that requests at the same time do not overwrite what others keep. The rows
 * are read and written past the object cache for the same reason.
 */
final class LMS_GraphQL_Hooks_Gateway {

	/** Beginning of the names of all options. */
	const PREFIX = 'lms_graphql_hooks_';

	/** Seconds from one delivery to the next. */
	const INTERVAL = 1;

	/** Seconds that one delivery may take. */
	const TIMEOUT = 2;

	/** Seconds before the second attempt; doubled before each further one. */
	const DELAY = 5;

	/** Largest number of seconds between attempts, other than by Retry-After. */
	const MAX_DELAY = 60;

	/** Largest number of seconds of Retry-After. */
	const MAX_RETRY_AFTER = 300;

	/** Refusals after which WP-Cron does not try again; the next change does. */
	const MAX_REFUSALS = 5;

	/** Kept rows; more become a change of the site. Each request of one second may keep one. */
	const MAX_KEPT = 500;

	/**
	 * Address of the webhook.
	 *
	 * @var string
	 */
	private $address;

	/**
	 * Secret with which deliveries are signed.
	 *
	 * @var string
	 */
	private $secret;

	/**
	 * Beginning of the names of this gateway's options.
	 *
	 * @var string
	 */
	private $prefix;

	/**
	 * Constructor.
	 *
	 * @param string $url    Address of the gateway.
	 * @param string $secret Secret with which deliveries are signed.
	 */
	public function __construct( string $url, string $secret ) {
		$this->address = rtrim( $url, '/' ) . '/hooks/site';
		$this->secret  = $secret;
		$this->prefix  = self::PREFIX . substr( md5( $this->address ), 0, 12 ) . '_';
	}

	/**
	 * Sends changes together with those that are kept. Keeps them when that fails, or when the next delivery is not due.
	 *
	 * @param LMS_GraphQL_Hooks_Changes $changes Changes; may be empty.
	 * @param bool                      $waits   Whether to wait until the next delivery is due, if no other request does.
	 */
	public function send( LMS_GraphQL_Hooks_Changes $changes, bool $waits = true ): void {
		if ( $this->claim() ) {
			$this->deliver( $changes );
			return;
		}
		$this->keep( $changes );
		if ( ! $waits || $this->is_failing() || ! $this->claim_turn() ) {
			return;
		}
		$end = microtime( true ) + self::INTERVAL + self::TIMEOUT;
		while ( ! $this->claim() ) {
			if ( $this->is_failing() || microtime( true ) > $end ) {
				return;
			}
			usleep( 50000 );
		}
		$this->deliver( new LMS_GraphQL_Hooks_Changes() );
	}

	/**
	 * Returns when the kept changes should be sent by WP-Cron, or null.
	 */
	public function next_attempt(): ?int {
		$state = $this->state();
		if ( ( $state['refusals'] ?? 0 ) >= self::MAX_REFUSALS || array() === $this->kept() ) {
			return null;
		}
		return (int) ceil( $state['next'] ?? microtime( true ) );
	}

	/**
	 * Returns what an administrator should know, or null.
	 */
	public function complaint(): ?string {
		$state = $this->state();
		if ( null === $state || 0 === ( $state['refusals'] ?? 0 ) ) {
			return null;
		}
		$hint = 401 === $state['status'] ? ' Compare LMS_GRAPHQL_HOOK_SECRET with HOOK_SECRET of the gateway, and the clocks.' : '';
		return "{$this->address} answers changes with status {$state['status']}.$hint";
	}

	/**
	 * Deletes options of gateways that are no longer configured.
	 *
	 * @param self[] $gateways Gateways that are configured.
	 */
	public static function clean( array $gateways ): void {
		global $wpdb;
		$where = $wpdb->prepare( 'option_name LIKE %s', $wpdb->esc_like( self::PREFIX ) . '%' );
		foreach ( $gateways as $gateway ) {
			$where .= $wpdb->prepare( ' AND option_name NOT LIKE %s', $wpdb->esc_like( $gateway->prefix ) . '%' );
		}
		$wpdb->query( "DELETE FROM {$wpdb->options} WHERE $where" ); // phpcs:ignore WordPress.DB
	}

	/**
	 * Delivers changes. Returns null, or the status (0 without an answer) and the seconds of Retry-After.
	 *
	 * @param LMS_GraphQL_Hooks_Changes $changes Changes.
	 */
	private function post( LMS_GraphQL_Hooks_Changes $changes ): ?array {
		$list = $changes->to_list();
		// Gateways take two equal bodies of one second for one delivery.
		$list[0]['delivery'] = wp_generate_uuid4();
		$body                = (string) wp_json_encode( $list );
		$timestamp           = (string) time();
		$limit_connect       = static function ( $handle ): void {
			curl_setopt( $handle, CURLOPT_CONNECTTIMEOUT, 1 ); // phpcs:ignore WordPress.WP.AlternativeFunctions
		};
		add_action( 'http_api_curl', $limit_connect );
		$response = wp_remote_post(
			$this->address,
			array(
				'timeout'             => self::TIMEOUT,
				'redirection'         => 0,
				'limit_response_size' => 4096,
				'user-agent'          => 'lms-graphql-hooks',
				'headers'             => array(
					'content-type'    => 'application/json',
					'x-lms-timestamp' => $timestamp,
					'x-lms-signature' => 'sha256=' . hash_hmac( 'sha256', "$timestamp.$body", $this->secret ),
				),
				'body'                => $body,
			)
		);
		remove_action( 'http_api_curl', $limit_connect );
		$status = (int) wp_remote_retrieve_response_code( $response );
		// 409: an earlier attempt has arrived.
		if ( ( $status >= 200 && $status < 300 ) || 409 === $status ) {
			return null;
		}
		return array(
			'status'      => $status,
			'retry_after' => (int) wp_remote_retrieve_header( $response, 'retry-after' ),
		);
	}

	/**
	 * Delivers changes together with those that are kept, after the delivery was claimed.
	 *
	 * @param LMS_GraphQL_Hooks_Changes $changes Changes; may be empty.
	 */
	private function deliver( LMS_GraphQL_Hooks_Changes $changes ): void {
		$kept = $this->kept();
		$all  = new LMS_GraphQL_Hooks_Changes();
		foreach ( $kept as $row ) {
			$all->add_list( (array) json_decode( $row->option_value, true ) );
		}
		$all->add_list( $changes->to_list() );
		$failure = $all->is_empty() ? null : $this->post( $all );
		if ( null === $failure ) {
			$this->forget( $kept );
			$this->write( 'state', wp_json_encode( array( 'next' => microtime( true ) + self::INTERVAL ) ) );
			// Requests during a failure do not wait for the next delivery.
			if ( array() !== $this->kept() ) {
				$this->send( new LMS_GraphQL_Hooks_Changes() );
			}
			return;
		}
		if ( in_array( $failure['status'], array( 400, 413 ), true ) ) {
			// A gateway of another version may accept the simplest change.
			$this->keep( LMS_GraphQL_Hooks_Changes::of_site() );
			$this->forget( $kept );
		} else {
			$this->keep( $changes );
		}
		$this->failed( $failure );
	}

	/**
	 * Returns the state: when the next delivery is due, and what failed. Null before the first delivery.
	 */
	private function state(): ?array {
		global $wpdb;
		$text  = $wpdb->get_var( $wpdb->prepare( "SELECT option_value FROM {$wpdb->options} WHERE option_name = %s", $this->prefix . 'state' ) ); // phpcs:ignore WordPress.DB
		$state = null === $text ? null : json_decode( $text, true );
		return is_array( $state ) ? array_merge( $state, array( 'text' => $text ) ) : null;
	}

	/**
	 * Returns whether the last delivery failed.
	 */
	private function is_failing(): bool {
		return ( $this->state()['failures'] ?? 0 ) > 0;
	}

	/**
	 * Reserves the next delivery when it is due. One of several requests gets it.
	 */
	private function claim(): bool {
		global $wpdb;
		$state = $this->state();
		if ( null !== $state && $state['next'] > microtime( true ) ) {
			return false;
		}
		$old = $state['text'] ?? '';
		unset( $state['text'] );
		$text = wp_json_encode( array_merge( (array) $state, array( 'next' => microtime( true ) + self::DELAY + self::TIMEOUT ) ) );
		$name = $this->prefix . 'state';
		$sql  = '' === $old
			? $wpdb->prepare( "INSERT IGNORE INTO {$wpdb->options} (option_name, option_value, autoload) VALUES (%s, %s, 'no')", $name, $text )
			: $wpdb->prepare( "UPDATE {$wpdb->options} SET option_value = %s WHERE option_name = %s AND option_value = %s", $text, $name, $old );
		if ( 1 !== $wpdb->query( $sql ) ) { // phpcs:ignore WordPress.DB
			return false;
		}
		// What is kept from now on may not be part of this delivery: another request has to wait for the next one.
		$wpdb->delete( $wpdb->options, array( 'option_name' => $this->prefix . 'turn' ) ); // phpcs:ignore WordPress.DB
		return true;
	}

	/**
	 * Reserves the wait for the next delivery. One of several requests gets it; another one when that has not delivered in time.
	 */
	private function claim_turn(): bool {
		global $wpdb;
		$now = microtime( true );
		return 0 < $wpdb->query( // phpcs:ignore WordPress.DB
			$wpdb->prepare(
				"INSERT INTO {$wpdb->options} (option_name, option_value, autoload) VALUES (%s, %s, 'no')
				ON DUPLICATE KEY UPDATE option_value = IF( option_value + 0 < %f, VALUES(option_value), option_value )",
				$this->prefix . 'turn',
				(string) ( $now + self::INTERVAL + self::TIMEOUT ),
				$now
			)
		);
	}

	/**
	 * Records a failure and plans the next attempt.
	 *
	 * @param array $failure Status and seconds of Retry-After.
	 */
	private function failed( array $failure ): void {
		$state      = $this->state();
		$failures   = 1 + ( $state['failures'] ?? 0 );
		$is_refused = $failure['status'] >= 300 && $failure['status'] < 500 && 429 !== $failure['status'];
		$delay      = min( self::MAX_DELAY, self::DELAY * 2 ** min( 10, $failures - 1 ) );
		$next       = microtime( true ) + max( $delay, min( self::MAX_RETRY_AFTER, $failure['retry_after'] ) );
		$refusals   = $is_refused ? 1 + ( $state['refusals'] ?? 0 ) : 0;
		$status     = $failure['status'];
		$this->write( 'state', wp_json_encode( compact( 'failures', 'refusals', 'status', 'next' ) ) );
	}

	/**
	 * Keeps changes for the next attempt.
	 *
	 * @param LMS_GraphQL_Hooks_Changes $changes Changes.
	 */
	private function keep( LMS_GraphQL_Hooks_Changes $changes ): void {
		if ( $changes->is_empty() ) {
			return;
		}
		$kept    = $this->kept();
		$is_full = count( $kept ) >= self::MAX_KEPT;
		if ( $is_full ) {
			$changes = LMS_GraphQL_Hooks_Changes::of_site();
		}
		$this->write( 'changes_' . wp_generate_uuid4(), wp_json_encode( $changes->to_list() ) );
		if ( $is_full ) {
			$this->forget( $kept );
		}
	}

	/**
	 * Returns the rows of kept changes, the oldest first.
	 */
	private function kept(): array {
		global $wpdb;
		return $wpdb->get_results( // phpcs:ignore WordPress.DB
			$wpdb->prepare(
				"SELECT option_id, option_value FROM {$wpdb->options} WHERE option_name LIKE %s ORDER BY option_id",
				$wpdb->esc_like( $this->prefix . 'changes_' ) . '%'
			)
		);
	}

	/**
	 * Deletes rows of kept changes.
	 *
	 * @param array $rows Rows.
	 */
	private function forget( array $rows ): void {
		global $wpdb;
		if ( array() !== $rows ) {
			$ids = implode( ',', array_map( 'intval', wp_list_pluck( $rows, 'option_id' ) ) );
			$wpdb->query( "DELETE FROM {$wpdb->options} WHERE option_id IN ( $ids )" ); // phpcs:ignore WordPress.DB
		}
	}

	/**
	 * Writes an option that is not autoloaded.
	 *
	 * @param string $name  Name after the prefix.
	 * @param string $value Value.
	 */
	private function write( string $name, string $value ): void {
		global $wpdb;
		$wpdb->query( // phpcs:ignore WordPress.DB
			$wpdb->prepare(
				"INSERT INTO {$wpdb->options} (option_name, option_value, autoload) VALUES (%s, %s, 'no')
				ON DUPLICATE KEY UPDATE option_value = VALUES(option_value)",
				$this->prefix . $name,
				$value
			)
		);
	}
}

/**
 * Collects the changes of one PHP request, and sends them when its response has gone out.
 */
final class LMS_GraphQL_Hooks {

	/** Action of WP-Cron that sends kept changes. */
	const CRON = 'lms_graphql_hooks_send';

	/** Post types, with the type of their changes. */
	const POST_TYPES = array(
		'groups'        => 'group',
		'sfwd-courses'  => 'course',
		'sfwd-lessons'  => 'lesson',
		'sfwd-topic'    => 'topic',
		'sfwd-quiz'     => 'quiz',
		'sfwd-question' => 'question',
	) + self::BLOCKS;

	/** Post types whose content others include: synced patterns, menus and parts of templates. */
	const BLOCKS = array(
		'wp_block'         => 'block',
		'wp_navigation'    => 'block',
		'wp_template_part' => 'block',
	);

	/** Columns of the REST interface by fields of posts and keys of meta. Others are sent by their own names. */
	const COLUMNS = array(
		'post_title'        => 'title',
		'post_content'      => 'content',
		'post_excerpt'      => 'excerpt',
		'_thumbnail_id'     => 'featured_media',
		'_wp_page_template' => 'template',
	);

	/** Fields of posts that change with each edit. */
	const IGNORED_FIELDS = array( 'post_modified', 'post_modified_gmt', 'filter' );

	/** Keys of the meta in which LearnDash keeps settings and the place of steps. */
	const LEARNDASH_META = '/^_?(sfwd|ld|learndash|course|lesson|topic|quiz|question)[_-]/';

	/** Post meta that change with each edit. */
	const IGNORED_META = array( '_edit_lock', '_edit_last', '_encloseme', '_pingme' );

	/** Options that change many records. */
	const SITE_OPTIONS = array(
		'home',
		'siteurl',
		'permalink_structure',
		'timezone_string',
		'gmt_offset',
		'stylesheet',
		'template',
		'WPLANG',
		'upload_path',
		'upload_url_path',
	);

	/** Beginning of the names of LearnDash's options. */
	const LEARNDASH_OPTIONS = 'learndash_settings_';

	/**
	 * Gateways.
	 *
	 * @var LMS_GraphQL_Hooks_Gateway[]
	 */
	private $gateways;

	/**
	 * Changes that are not sent yet.
	 *
	 * @var LMS_GraphQL_Hooks_Changes
	 */
	private $changes;

	/**
	 * Time of the last delivery, at first the start of the request.
	 *
	 * @var float
	 */
	private $sent_at;

	/**
	 * Id of the site whose changes are sent.
	 *
	 * @var int
	 */
	private $blog;

	/**
	 * Posts that were saved in this request, by id.
	 *
	 * @var array<int, true>
	 */
	private $saved = array();

	/**
	 * Posts of whose meta only those have changed that the REST interface does not show, by id.
	 *
	 * @var array<int, true>
	 */
	private $unshown = array();

	/**
	 * Reads the configuration and starts.
	 */
	public static function start(): void {
		if ( ! defined( 'LMS_GRAPHQL_HOOKS' ) && ! defined( 'LMS_GRAPHQL_HOOK_SECRET' ) ) {
			return;
		}
		$urls      = (array) ( defined( 'LMS_GRAPHQL_HOOKS' ) ? LMS_GRAPHQL_HOOKS : array() );
		$secret    = defined( 'LMS_GRAPHQL_HOOK_SECRET' ) ? LMS_GRAPHQL_HOOK_SECRET : '';
		$complaint = self::complaint_about( $urls, $secret );
		if ( null !== $complaint ) {
			self::show( array( "$complaint Nothing is sent." ) );
			return;
		}
		$gateways = array();
		foreach ( array_unique( $urls ) as $url ) {
			$gateways[] = new LMS_GraphQL_Hooks_Gateway( $url, $secret );
		}
		( new self( $gateways ) )->register();
	}

	/**
	 * Returns what is wrong with the configuration, or null. Does not repeat values, which may be secret.
	 *
	 * @param array $urls   Addresses of gateways.
	 * @param mixed $secret Secret.
	 */
	private static function complaint_about( array $urls, $secret ): ?string {
		if ( array() === $urls ) {
			return 'LMS_GRAPHQL_HOOKS must be the address of a gateway, or an array of addresses.';
		}
		foreach ( $urls as $url ) {
			$parts = is_string( $url ) ? wp_parse_url( $url ) : false;
			if ( ! is_array( $parts ) || ! in_array( $parts['scheme'] ?? '', array( 'http', 'https' ), true ) || empty( $parts['host'] )
				|| isset( $parts['user'] ) || isset( $parts['pass'] ) || isset( $parts['query'] ) || isset( $parts['fragment'] ) ) {
				return 'LMS_GRAPHQL_HOOKS must have http or https addresses without user, password, query and fragment.';
			}
		}
		if ( ! is_string( $secret ) || 1 !== preg_match( '/^[^\p{Cc},]{32,}$/Du', $secret ) ) {
			return 'LMS_GRAPHQL_HOOK_SECRET must be a text of at least 32 characters without commas and control characters.';
		}
		return null;
	}

	/**
	 * Shows texts to administrators.
	 *
	 * @param string[] $texts Texts.
	 */
	private static function show( array $texts ): void {
		$show = static function () use ( $texts ): void {
			foreach ( current_user_can( 'manage_options' ) ? $texts : array() as $text ) {
				printf( '<div class="notice notice-error"><p>LMS GraphQL hooks: %s</p></div>', esc_html( $text ) );
			}
		};
		add_action( 'admin_notices', $show );
		add_action( 'network_admin_notices', $show );
	}

	/**
	 * Constructor.
	 *
	 * @param LMS_GraphQL_Hooks_Gateway[] $gateways Gateways.
	 */
	private function __construct( array $gateways ) {
		$this->gateways = $gateways;
		$this->changes  = new LMS_GraphQL_Hooks_Changes();
		$this->sent_at  = microtime( true );
		$this->blog     = defined( 'LMS_GRAPHQL_HOOKS_BLOG' ) ? (int) LMS_GRAPHQL_HOOKS_BLOG : get_main_site_id();
	}

	/**
	 * Registers all actions.
	 */
	private function register(): void {
		add_action( 'shutdown', array( $this, 'end_response' ), 0 );
		add_action( 'shutdown', array( $this, 'send_last' ), PHP_INT_MAX );
		add_action( self::CRON, array( $this, 'send_kept' ) );
		add_action( 'admin_init', array( $this, 'show_complaints' ) );
		$this->register_posts();
		$this->register_terms();
		$this->register_users();
		$this->register_learndash();
		$this->register_site();
	}

	/**
	 * Posts and their meta. Revisions, and with them autosaves of published posts, have a post type of their own.
	 */
	private function register_posts(): void {
		add_action(
			'transition_post_status',
			function ( $new_status, $old_status, $post ): void {
				if ( 'auto-draft' === $new_status || ( 'trash' === $new_status && 'auto-draft' === $old_status ) ) {
					return;
				}
				$is_new = in_array( $old_status, array( 'new', 'auto-draft', 'trash' ), true );
				$kind   = 'trash' === $new_status ? 'deleted' : ( $is_new ? 'created' : 'updated' );
				// The action `post_updated` follows, except for a post that is published by its schedule.
				$this->add_post( $post->post_type, $post->ID, $kind, $new_status === $old_status ? array() : array( 'status' ) );
			},
			10,
			3
		);
		$this->on(
			array( 'post_updated' ),
			function ( $id, $after, $before ): void {
				// Otherwise, the change of the status is sent instead.
				if ( ! in_array( 'auto-draft', array( $before->post_status, $after->post_status ), true ) && 'trash' !== $after->post_status ) {
					$this->saved[ $id ] = true;
					$meta               = isset( $this->unshown[ $id ] ) ? array( 'meta' ) : array();
					$this->add_post( $after->post_type, $id, 'updated', array_merge( self::changed_columns( $after, $before ), $meta ) );
				}
			}
		);
		$this->on(
			array( 'add_attachment' ),
			function ( $id ): void {
				$this->add( 'media', $id, 'created' );
			}
		);
		$this->on(
			array( 'edit_attachment', 'delete_attachment' ),
			function ( $id ): void {
				$this->add( 'media', $id, doing_action( 'delete_attachment' ) ? 'deleted' : 'updated' );
				// Galleries show its caption.
				$this->add( 'block', $id, 'updated' );
			}
		);
		add_action(
			'deleted_post',
			function ( $id, $post ): void {
				if ( 'auto-draft' === $post->post_status ) {
					return;
				}
				$this->add_post( $post->post_type, $id, 'deleted' );
				if ( is_post_type_hierarchical( $post->post_type ) ) {
					// Its children have another parent now.
					$this->add_post( $post->post_type, 0, 'updated' );
				}
			},
			10,
			2
		);
		$this->on(
			array( 'added_post_meta', 'updated_post_meta', 'deleted_post_meta' ),
			function ( $meta_ids, $id, $key ): void {
				if ( in_array( $key, self::IGNORED_META, true ) ) {
					return;
				}
				$post_type = $id ? (string) get_post_type( $id ) : '';
				// Views of pages write meta such as counters. When the post is saved too, other plugins may show them as fields of their own.
				if ( ! $this->is_shown( $key, $post_type ) && ! isset( $this->saved[ $id ] ) ) {
					$this->unshown[ $id ] = true;
					return;
				}
				if ( ! $id ) {
					// The meta was deleted from all posts.
					$this->add( 'site', 0, 'updated' );
					return;
				}
				$column    = self::COLUMNS[ $key ] ?? ( preg_match( self::LEARNDASH_META, $key ) ? $key : 'meta' );
				$this->add_post( $post_type, $id, 'updated', array( $column ) );
				if ( 'course' === $this->type_of( $post_type ) && preg_match( '/^learndash_group_enrolled_(\d+)$/', $key, $found ) ) {
					$this->add( 'group', $found[1], 'members' );
				}
			}
		);
	}

	/**
	 * Terms of the taxonomies of these posts, and the terms of posts.
	 */
	private function register_terms(): void {
		$kinds = array(
			'created_term' => 'created',
			'edited_term'  => 'updated',
			'delete_term'  => 'deleted',
		);
		foreach ( $kinds as $action => $kind ) {
			$this->on(
				array( $action ),
				function ( $id, $tt_id, $taxonomy, $term = null, $posts = array() ) use ( $kind ): void {
					if ( ! $this->has_taxonomy( $taxonomy ) ) {
						return;
					}
					$this->add( 'term', $id, $kind );
					foreach ( 'deleted' === $kind ? (array) $posts : array() as $post ) {
						$this->add_post( (string) get_post_type( $post ), $post, 'updated' );
					}
				}
			);
		}
		$this->on(
			array( 'set_object_terms' ),
			function ( $id, $terms, $tt_ids, $taxonomy, $append, $old_tt_ids ): void {
				$added   = array_diff( $tt_ids, $old_tt_ids );
				$removed = $append ? array() : array_diff( $old_tt_ids, $tt_ids );
				if ( ( $added || $removed ) && $this->has_taxonomy( $taxonomy ) ) {
					$this->add_post( (string) get_post_type( $id ), $id, 'updated' );
				}
			}
		);
		$this->on(
			array( 'deleted_term_relationships' ),
			function ( $id, $tt_ids, $taxonomy ): void {
				if ( $this->has_taxonomy( $taxonomy ) ) {
					$this->add_post( (string) get_post_type( $id ), $id, 'updated' );
				}
			}
		);
	}

	/**
	 * Users and their meta, in which LearnDash keeps progress, enrolments and membership of groups.
	 */
	private function register_users(): void {
		$this->on(
			array( 'user_register' ),
			function ( $id ): void {
				$this->add( 'user', $id, 'created' );
			}
		);
		$this->on(
			array( 'profile_update', 'set_user_role', 'add_user_role', 'remove_user_role', 'add_user_to_blog', 'remove_user_from_blog' ),
			function ( $id ): void {
				$this->add( 'user', $id, 'updated' );
			}
		);
		$this->on(
			array( 'deleted_user' ),
			function ( $id, $reassign = null ): void {
				$this->add( 'user', $id, 'deleted' );
				$this->add( 'progress', $id, 'deleted' );
				if ( $reassign ) {
					// Posts of all types have another author now.
					$this->add( 'site', 0, 'updated' );
				}
			}
		);
		$this->on(
			array( 'added_user_meta', 'updated_user_meta', 'deleted_user_meta' ),
			function ( $meta_ids, $id, $key ): void {
				global $wpdb;
				if ( preg_match( '/^(_sfwd-course_progress|_sfwd-quizzes|course_completed_\d+)$/', $key ) ) {
					$this->add( 'progress', $id, 'updated' );
				} elseif ( preg_match( '/^(course_\d+_access_from|learndash_course_(\d+_enrolled_at|expired_\d+))$/', $key ) ) {
					$this->add( 'user', $id, 'members' );
				} elseif ( preg_match( '/^learndash_group_(?:users|leaders)_(\d+)$/', $key, $found ) ) {
					$this->add_member( $id, $found[1] );
				} elseif ( $wpdb->get_blog_prefix( $this->blog ) . 'capabilities' === $key ) {
					$this->add( 'user', $id, 'updated' );
				}
			}
		);
	}

	/**
	 * Actions of LearnDash, which keeps progress in a table of its own too.
	 */
	private function register_learndash(): void {
		$this->on(
			array( 'learndash_course_completed', 'learndash_lesson_completed', 'learndash_topic_completed' ),
			function ( $data ): void {
				$this->add( 'progress', $data['user']->ID ?? 0, 'updated' );
			}
		);
		$this->on(
			array( 'learndash_quiz_completed' ),
			function ( $data, $user = null ): void {
				$this->add( 'progress', $user->ID ?? 0, 'updated' );
			}
		);
		$this->on(
			array( 'learndash_update_user_activity' ),
			function ( $activity ): void {
				$this->add( 'progress', $activity['user_id'] ?? 0, 'updated' );
			}
		);
		$this->on(
			array( 'ld_added_group_access', 'ld_removed_group_access', 'ld_added_leader_group_access', 'ld_removed_leader_group_access' ),
			function ( $user, $group ): void {
				$this->add_member( $user, $group );
			}
		);
		$this->on(
			array( 'learndash_update_course_access' ),
			function ( $user ): void {
				$this->add( 'user', $user, 'members' );
			}
		);
		$this->on(
			array( 'ld_added_course_group_access', 'ld_removed_course_group_access' ),
			function ( $course, $group ): void {
				$this->add( 'group', $group, 'members' );
			}
		);
	}

	/**
	 * What may change any record.
	 */
	private function register_site(): void {
		$this->on(
			array( 'activated_plugin', 'deactivated_plugin' ),
			function ( $plugin, $is_of_network = false ): void {
				$this->add( 'site', 0, 'updated', null, $is_of_network );
			}
		);
		$this->on(
			array( 'added_option', 'updated_option', 'deleted_option' ),
			function ( $option ): void {
				if ( in_array( $option, self::SITE_OPTIONS, true ) || 0 === strpos( $option, self::LEARNDASH_OPTIONS ) ) {
					$this->add( 'site', 0, 'updated' );
				}
			}
		);
	}

	/**
	 * Ends a response that is complete, so that the browser does not wait for the delivery, where PHP has no function for it.
	 */
	public function end_response(): void {
		if ( $this->changes->is_empty() || self::can_finish() || headers_sent() || self::is_command() || ini_get( 'zlib.output_compression' ) ) {
			return;
		}
		$status = (int) http_response_code();
		// Other pages may be continued by later actions.
		if ( ! self::is_data() && ( $status < 300 || $status > 399 ) ) {
			return;
		}
		$length = 0;
		foreach ( ob_get_status( true ) as $buffer ) {
			if ( 'default output handler' !== $buffer['name'] ) {
				return;
			}
			$length += $buffer['buffer_used'];
		}
		if ( function_exists( 'apache_setenv' ) ) {
			// A response that Apache compresses has no length.
			apache_setenv( 'no-gzip', '1' );
		}
		ignore_user_abort( true );
		if ( 204 !== $status && 304 !== $status ) {
			header( "Content-Length: $length" );
		}
		header( 'Connection: close' );
		while ( ob_get_level() > 0 ) {
			ob_end_flush();
		}
		flush();
	}

	/**
	 * Sends the changes at the end of the request.
	 */
	public function send_last(): void {
		if ( $this->changes->is_empty() ) {
			return;
		}
		ignore_user_abort( true );
		if ( PHP_SESSION_ACTIVE === session_status() ) {
			// The next request of the same user would wait for it.
			session_write_close();
		}
		if ( function_exists( 'fastcgi_finish_request' ) ) {
			fastcgi_finish_request();
		} elseif ( function_exists( 'litespeed_finish_request' ) ) {
			litespeed_finish_request();
		}
		$this->send();
	}

	/**
	 * Sends kept changes; for WP-Cron.
	 */
	public function send_kept(): void {
		LMS_GraphQL_Hooks_Gateway::clean( $this->gateways );
		$this->send();
	}

	/**
	 * Shows administrators which gateways refuse changes.
	 */
	public function show_complaints(): void {
		if ( current_user_can( 'manage_options' ) && ! wp_doing_ajax() ) {
			$complaint_of = static function ( LMS_GraphQL_Hooks_Gateway $gateway ): ?string {
				return $gateway->complaint();
			};
			self::show( array_filter( array_map( $complaint_of, $this->gateways ) ) );
		}
	}

	/**
	 * Sends the changes to all gateways, and plans the next attempt when it is necessary.
	 *
	 * @param bool $waits Whether to wait until the next delivery is due.
	 */
	private function send( bool $waits = true ): void {
		$changes       = $this->changes;
		$this->changes = new LMS_GraphQL_Hooks_Changes();
		$times         = array();
		$is_elsewhere  = $this->is_elsewhere();
		if ( $is_elsewhere ) {
			// What is kept is in the options of the site.
			switch_to_blog( $this->blog );
		}
		foreach ( $this->gateways as $gateway ) {
			$gateway->send( $changes, $waits );
			$times[] = $gateway->next_attempt();
		}
		$this->sent_at = microtime( true );
		$times         = array_filter( $times );
		if ( array() !== $times && ! wp_next_scheduled( self::CRON ) ) {
			wp_schedule_single_event( min( $times ), self::CRON );
		}
		if ( $is_elsewhere ) {
			restore_current_blog();
		}
	}

	/**
	 * Adds a change of a post, if it is of the LMS.
	 *
	 * @param string     $post_type Post type.
	 * @param int        $id        Id, or 0 for all posts of the type.
	 * @param string     $kind      Kind.
	 * @param array|null $columns   Names of the columns that have changed, or null when any may have.
	 */
	private function add_post( string $post_type, $id, string $kind, ?array $columns = null ): void {
		$type = $this->type_of( $post_type );
		if ( null !== $type ) {
			$this->add( $type, $id, $kind, $columns );
		}
	}

	/**
	 * Returns the names of the columns in which a post has changed.
	 *
	 * @param WP_Post $after  The post.
	 * @param WP_Post $before The post before its change.
	 */
	private static function changed_columns( WP_Post $after, WP_Post $before ): array {
		$columns = array();
		foreach ( array_diff_key( get_object_vars( $after ), array_flip( self::IGNORED_FIELDS ) ) as $field => $value ) {
			if ( (string) $value !== (string) ( $before->$field ?? '' ) ) {
				$columns[] = self::COLUMNS[ $field ] ?? $field;
			}
		}
		return $columns;
	}

	/**
	 * Adds a change of the membership of a user in a group.
	 *
	 * @param int $user  Id of the user.
	 * @param int $group Id of the group.
	 */
	private function add_member( $user, $group ): void {
		$this->add( 'group', $group, 'members' );
		$this->add( 'user', $user, 'members' );
	}

	/**
	 * Adds a change.
	 *
	 * @param string     $type          Type.
	 * @param mixed      $id            Id, or 0 for all records of the type.
	 * @param string     $kind          Kind.
	 * @param array|null $columns       Names of the columns that have changed, or null when any may have.
	 * @param bool       $is_of_network Whether all sites of a network have the change.
	 */
	private function add( string $type, $id, string $kind, ?array $columns = null, bool $is_of_network = false ): void {
		// The sites of a network share their users.
		if ( ! $is_of_network && ! in_array( $type, array( 'user', 'progress' ), true ) && $this->is_elsewhere() ) {
			return;
		}
		if ( $this->changes->is_empty() && self::is_data() && ! self::can_finish() ) {
			// For the length of the response.
			ob_start();
		}
		$this->changes->add( $type, max( 0, (int) $id ), $kind, $columns );
		if ( self::is_command() && microtime( true ) - $this->sent_at >= LMS_GraphQL_Hooks_Gateway::INTERVAL ) {
			$this->send( false );
		}
	}

	/**
	 * Registers a function for actions, with all their arguments.
	 *
	 * @param string[] $actions  Names of actions.
	 * @param callable $function Function.
	 */
	private function on( array $actions, callable $function ): void {
		foreach ( $actions as $action ) {
			add_action( $action, $function, 10, 6 );
		}
	}

	/**
	 * Returns whether the REST interface shows a key of post meta.
	 *
	 * @param string $key       Key.
	 * @param string $post_type Post type; empty for all.
	 */
	private function is_shown( string $key, string $post_type ): bool {
		$is_shown = isset( self::COLUMNS[ $key ] ) || preg_match( self::LEARNDASH_META, $key );
		foreach ( array_merge( array( '' ), '' === $post_type ? array_keys( $this->post_types() ) : array( $post_type ) ) as $subtype ) {
			$keys     = get_registered_meta_keys( 'post', $subtype );
			$is_shown = $is_shown || ! empty( $keys[ $key ]['show_in_rest'] );
		}
		/**
		 * Filters whether changes of post meta are sent.
		 *
		 * @param bool   $is_shown  Whether it is meta of LearnDash, or registered for the REST interface.
		 * @param string $key       Key of the meta.
		 * @param string $post_type Post type; empty when the meta of all posts are deleted.
		 */
		return (bool) apply_filters( 'lms_graphql_hooks_sends_meta', $is_shown, $key, $post_type );
	}

	/**
	 * Returns whether this code runs for another site of the network.
	 */
	private function is_elsewhere(): bool {
		return is_multisite() && get_current_blog_id() !== $this->blog;
	}

	/**
	 * Returns the type of changes of a post type, or null.
	 *
	 * @param string $post_type Post type.
	 */
	private function type_of( string $post_type ): ?string {
		return $this->post_types()[ $post_type ] ?? null;
	}

	/**
	 * Returns the types of changes by post type.
	 */
	private function post_types(): array {
		/**
		 * Filters which post types are sent.
		 *
		 * @param array<string, string> $post_types Types of changes by post type.
		 */
		// Gateways refuse other types.
		return array_intersect( (array) apply_filters( 'lms_graphql_hooks_post_types', self::POST_TYPES ), self::POST_TYPES );
	}

	/**
	 * Returns whether posts of the LMS have terms of a taxonomy.
	 *
	 * @param string $taxonomy Taxonomy.
	 */
	private function has_taxonomy( string $taxonomy ): bool {
		$object = get_taxonomy( $taxonomy );
		return $object && array_intersect( $object->object_type, array_keys( $this->post_types() ) );
	}

	/**
	 * Returns whether this process is a command or a job of WP-Cron, which may run for long and for which nobody waits.
	 */
	private static function is_command(): bool {
		return in_array( PHP_SAPI, array( 'cli', 'phpdbg' ), true ) || wp_doing_cron();
	}

	/**
	 * Returns whether the response is data for a script, not a page.
	 */
	private static function is_data(): bool {
		return ( defined( 'REST_REQUEST' ) && REST_REQUEST ) || wp_doing_ajax();
	}

	/**
	 * Returns whether PHP can end the response by itself.
	 */
	private static function can_finish(): bool {
		return function_exists( 'fastcgi_finish_request' ) || function_exists( 'litespeed_finish_request' );
	}
}

LMS_GraphQL_Hooks::start();
