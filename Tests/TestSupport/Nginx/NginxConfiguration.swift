/// An nginx.conf (nginx 1.22) that keeps everything in one folder and on loopback.
struct NginxConfiguration {
  let folder: TemporaryDirectory
  /// The folder whose files are served.
  let root: String
  let certificates: Certificates
  let ports: Ports

  struct Ports {
    let http, https, wrongHost, selfSigned: Int
  }

  var path: String { folder.path(of: "nginx.conf") }
  var pidFile: String { folder.path(of: "nginx.pid") }
  var log: String { folder.path(of: "error.log") }

  /// One process in the foreground. It keeps the user that started it, root or not, and nothing is
  /// left once it has ended.
  var text: String {
    """
    daemon off;
    master_process off;
    pid \(pidFile);
    error_log \(log);
    events { worker_connections 4096; }
    http {
      access_log off;
      sendfile on;
      keepalive_requests 100000;
      client_body_temp_path \(folder.path)/body;
      proxy_temp_path \(folder.path)/proxy;
      fastcgi_temp_path \(folder.path)/fastcgi;
      uwsgi_temp_path \(folder.path)/uwsgi;
      scgi_temp_path \(folder.path)/scgi;
      root \(root);
      default_type application/octet-stream;
      types {
        image/jpeg jpg jpeg; image/png png; image/gif gif; image/webp webp; image/svg+xml svg;
        audio/aiff aiff aif; audio/wav wav; audio/mpeg mp3; audio/mp4 m4a;
        video/mpeg mpg mpeg m2v; video/mp4 mp4; video/avi avi; video/quicktime mov; video/webm webm;
        text/html html; text/plain txt; application/json json; application/pdf pdf;
      }
      server { listen 127.0.0.1:\(ports.http); }
      \(server(ports.https, certificates.chained))
      \(server(ports.wrongHost, certificates.wrongHost))
      \(server(ports.selfSigned, certificates.selfSigned))
    }

    """
  }

  private func server(_ port: Int, _ identity: Certificates.Identity) -> String {
    """
    server {
        listen 127.0.0.1:\(port) ssl http2;
        ssl_certificate \(identity.certificate);
        ssl_certificate_key \(identity.key);
        location /downgrade/ { rewrite ^/downgrade/(.*)$ http://127.0.0.1:\(ports.http)/$1 redirect; }
      }
    """
  }
}
