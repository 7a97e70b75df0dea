<?php
/*
 * The REST interface of an LMS on the post types of a WordPress, for tests: version 1 beside version 2, the columns of the LMS from the meta of
 * posts, lists that are limited to a course, the courses of a group, price types, questions and progress. A course is open to everybody, and
 * `progress` in the meta of a user has the completed steps by course.
 */

/** Version 1 of a route of posts. */
class LMS_Posts_V1 extends WP_REST_Posts_Controller {
	public function __construct( $type ) {
		parent::__construct( $type );
		$this->namespace = 'ldlms/v1';
	}
}

const LMS_COLUMNS = array(
	'sfwd-courses' => array(
		'course_materials' => '', 'course_price_type' => 'open', 'custom_button_label' => '', 'custom_button_url' => '', 'course_price' => '',
		'course_prerequisite_enabled' => '', 'course_prerequisite' => '', 'course_prerequisite_compare' => '', 'course_points_enabled' => '',
		'course_points' => '', 'course_points_access' => '', 'course_disable_lesson_progression' => '', 'expire_access' => '',
		'expire_access_days' => '', 'expire_access_delete_progress' => '',
	),
	'sfwd-lessons' => array(
		'materials_enabled' => false, 'materials' => '', 'video_enabled' => false, 'video_url' => '', 'video_shown' => 'BEFORE',
		'video_auto_complete' => false, 'video_auto_complete_delay' => 0, 'video_show_complete_button' => false, 'video_auto_start' => false,
		'video_show_controls' => false, 'video_focus_pause' => false, 'video_resume' => false, 'assignment_upload_enabled' => false,
		'assignment_upload_limit_extensions' => '', 'assignment_upload_limit_size' => '', 'assignment_upload_limit_count' => 1,
		'assignment_points_enabled' => false, 'assignment_points_amount' => '', 'assignment_auto_approve' => false,
		'assignment_deletion_enabled' => false, 'forced_timer_enabled' => false, 'forced_timer_amount' => '', 'course' => 0, 'is_sample' => false,
		'visible_type' => '', 'visible_after' => '', 'visible_after_specific_date' => '',
	),
	'sfwd-quiz' => array( 'quiz_materials' => '', 'threshold' => '', 'passingpercentage' => '', 'certificate' => '' ),
);

function lms_may_manage() {
	return current_user_can( 'manage_options' ) ? true : new WP_Error( 'rest_forbidden', 'No.', array( 'status' => is_user_logged_in() ? 403 : 401 ) );
}

function lms_page( $rows, $request ) {
	$size     = (int) $request['per_page'];
	$response = rest_ensure_response( array_slice( $rows, ( (int) $request['page'] - 1 ) * $size, $size ) );
	if ( $rows ) {
		$response->header( 'X-WP-Total', count( $rows ) );
		$response->header( 'X-WP-TotalPages', (int) ceil( count( $rows ) / $size ) );
	}
	return $response;
}

/** The progress of a user in all published courses, the newest first. */
function lms_progress( $request ) {
	$done = (array) get_user_meta( (int) $request['user'], 'progress', true );
	$rows = array();
	foreach ( get_posts( array( 'post_type' => 'sfwd-courses', 'numberposts' => -1 ) ) as $post ) {
		$in = $request['course'] ? array( (int) $request['course'] ) : wp_parse_id_list( (string) $request['include'] );
		if ( ( $in && ! in_array( $post->ID, $in, true ) ) || in_array( $post->ID, wp_parse_id_list( (string) $request['exclude'] ), true ) ) {
			continue;
		}
		$steps  = (int) ( $done[ $post->ID ] ?? 0 );
		$rows[] = array(
			'course' => $post->ID, 'last_step' => 0, 'steps_total' => 4, 'steps_completed' => $steps, 'date_started' => '', 'date_completed' => '',
			'progress_status' => 0 === $steps ? 'not-started' : 'in-progress', '_links' => array(),
		);
	}
	return lms_page( $rows, $request );
}

function lms_route( $route, $callback, $permission = 'lms_may_manage' ) {
	$args = array( 'page' => array( 'default' => 1 ), 'per_page' => array( 'default' => 10 ) );
	foreach ( (array) $route as $each ) {
		register_rest_route( substr( $each, 0, 8 ), substr( $each, 8 ), array( 'methods' => 'GET', 'callback' => $callback, 'permission_callback' => $permission, 'args' => $args ) );
	}
}

add_action( 'rest_api_init', function () {
	foreach ( array( 'groups', 'sfwd-courses', 'sfwd-quiz', 'sfwd-lessons' ) as $type ) {
		( new LMS_Posts_V1( $type ) )->register_routes();
		foreach ( LMS_COLUMNS[ $type ] ?? array() as $name => $default ) {
			$get = fn ( $post ) => metadata_exists( 'post', $post['id'], $name ) ? get_post_meta( $post['id'], $name, true ) : $default;
			register_rest_field( $type, $name, array( 'get_callback' => $get, 'schema' => array( 'context' => array( 'view', 'edit' ) ) ) );
		}
	}
	$prices = array( 'open' => 'Open', 'free' => 'Free', 'paynow' => 'Buy now', 'subscribe' => 'Recurring', 'closed' => 'Closed' );
	$prices = array_map( fn ( $slug, $name ) => array( 'name' => $name, 'description' => '', 'slug' => $slug ), array_keys( $prices ), $prices );
	$prices = array_column( $prices, null, 'slug' );
	lms_route( 'ldlms/v2/price-types', fn () => $prices, '__return_true' );
	lms_route( 'ldlms/v2/price-types/(?P<slug>\w+)', fn ( $request ) => $prices[ $request['slug'] ] ?? new WP_Error( 'rest_price_type_invalid', 'No.', array( 'status' => 404 ) ), '__return_true' );
	lms_route( 'ldlms/v2/users/(?P<user>\d+)/course-progress', 'lms_progress' );
	lms_route( 'ldlms/v2/users/(?P<user>\d+)/course-progress/(?P<course>\d+)', 'lms_progress' );
	lms_route( 'ldlms/v2/users/(?P<user>\d+)/course-progress/(?P<course>\d+)/steps', fn () => array( array() ) );
	lms_route( 'ldlms/v2/sfwd-question', fn ( $request ) => lms_page( array_map( fn ( $post ) => array( 'id' => $post->ID, 'quiz' => (int) $post->quiz ), get_posts( array( 'post_type' => 'sfwd-question' ) ) ), $request ) );
	lms_route( 'ldlms/v1/sfwd-questions/(?P<id>\d+)', function ( $request ) {
		$post = get_post( (int) $request['id'] );
		$is   = $post && 'sfwd-question' === $post->post_type;
		return array(
			'_id' => $is ? 1 : 0, '_quizId' => $is ? 2 : 0, '_sort' => 1, '_title' => $is ? $post->post_title : '', '_question' => $is ? $post->post_content : '',
			'_correctMsg' => '', '_incorrectMsg' => '', '_correctSameText' => false, '_tipEnabled' => false, '_tipMsg' => '', '_points' => 1,
			'_showPointsInBox' => false, '_answerPointsActivated' => false, '_answerType' => 'single', '_answerPointsDiffModusActivated' => false,
			'_disableCorrect' => false, '_matrixSortAnswerCriteriaWidth' => 20, '_answerData' => array(), 'question_id' => $is ? $post->ID : 0,
			'question_post_title' => $is ? $post->post_title : '',
		);
	} );
	lms_route( 'ldlms/v2/groups/(?P<id>\d+)/courses', function ( $request ) {
		$ids     = array_map( 'intval', get_post_meta( (int) $request['id'], 'course' ) );
		$inner   = new WP_REST_Request( 'GET', '/ldlms/v2/sfwd-courses' );
		$outside = array_diff_key( $request->get_query_params(), array_flip( array( 'rest_route', 'include', 'exclude', 'status', 'posts_per_page' ) ) );
		$inner->set_query_params( array( 'include' => $ids ? $ids : array( 0 ) ) + $outside );
		$response = rest_do_request( $inner );
		$rows     = array_map( fn ( $row ) => array_diff_key( $row, LMS_COLUMNS['sfwd-courses'] ), $response->get_data() );
		$response->is_error() || $response->set_data( $rows );
		return $response;
	} );
} );

// What the LMS registers with its post types.
add_action( 'init', function () {
	foreach ( array( 'group' => 'groups', 'course' => 'sfwd-courses', 'lesson' => 'sfwd-lessons' ) as $name => $type ) {
		register_taxonomy( "ld_{$name}_category", $type, array( 'public' => true, 'show_in_rest' => true ) );
		register_taxonomy( "ld_{$name}_tag", $type, array( 'public' => true, 'show_in_rest' => true ) );
	}
	register_taxonomy_for_object_type( 'post_tag', 'groups' );
	foreach ( array( 'sfwd-courses', 'sfwd-lessons', 'sfwd-quiz' ) as $type ) {
		add_post_type_support( $type, 'page-attributes' );
	}
}, 20 );

// Lists are limited to a course, and are in the order of titles.
foreach ( array( 'groups', 'sfwd-courses', 'sfwd-lessons', 'sfwd-quiz' ) as $type ) {
	add_filter( "rest_{$type}_query", function ( $query, $request ) {
		if ( (int) $request['course'] > 0 ) {
			$query['meta_query'] = array( array( 'key' => 'course', 'value' => (int) $request['course'] ) );
		}
		return $query;
	}, 10, 2 );
	add_filter( "rest_{$type}_collection_params", function ( $params ) {
		$params['order']['default']   = 'asc';
		$params['orderby']['default'] = 'title';
		return $params;
	} );
}
