# Varnish 7 in front of the gateway, with the vmod xkey of varnish-modules. See docs/http-caching.md.
# Purges come by a socket of their own: varnishd -a :80 -a purge=127.0.0.1:6091 -f default.vcl
vcl 4.1;

import std;
import xkey;

backend default {
    .host = "127.0.0.1";
    .port = "4000";
}

# Who may purge, by the socket `purge`. On other sockets the address says nothing: behind a proxy on this machine all clients have its address.
acl purgers {
    "127.0.0.1";
    "::1";
}

sub vcl_recv {
    if (req.method == "PURGE") {
        if (local.socket != "purge" || client.ip !~ purgers) {
            return (synth(403, "Not allowed"));
        }
        if (!req.http.Surrogate-Key) {
            return (synth(400, "Surrogate-Key is missing"));
        }
        return (synth(200, "Purged " + xkey.purge(req.http.Surrogate-Key)));
    }

    # Clients choose neither the id of a request nor its trace, also if the gateway trusts this proxy.
    unset req.http.X-Request-ID;
    unset req.http.traceparent;
    unset req.http.tracestate;

    # Answers to these depend on the caller. Varnish passes requests with Authorization or Cookie by itself.
    if (req.http.X-API-Key || req.http.X-WP-Nonce || req.http.X-LMS-Explain) {
        return (pass);
    }
    # The gateway takes cookies together with X-WP-Nonce only.
    unset req.http.Cookie;

    # Pages, and answers in parts.
    if (req.http.Accept ~ "text/html|multipart/mixed|text/event-stream") {
        return (pass);
    }
    # One copy for each media type of answers, whatever else clients accept.
    if (req.http.Accept ~ "application/graphql-response\+json") {
        set req.http.Accept = "application/graphql-response+json";
    } else if (!req.http.Accept || req.http.Accept ~ "application/json|\*/\*") {
        set req.http.Accept = "application/json";
    }
    set req.url = std.querysort(req.url);
}

sub vcl_backend_response {
    # The vmod reads the tags from this header.
    if (beresp.http.Surrogate-Key) {
        set beresp.http.xkey = beresp.http.Surrogate-Key;
    }
    # No answer is used after its age.
    set beresp.grace = 0s;
}

sub vcl_deliver {
    unset resp.http.xkey;
    unset resp.http.Surrogate-Key;
    unset resp.http.Cache-Tag;
    # It is that of the request for which the answer was made.
    if (obj.hits > 0) {
        unset resp.http.X-Request-Id;
    }
}
