package dev.tidemark.retention.it.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A network between a client and a server that can be cut: then nothing comes through in either
 * direction, and neither side is told. What was sent meanwhile arrives when it is mended, as TCP
 * would send it again.
 */
final class TcpProxy implements AutoCloseable {
  private final ServerSocket listening;
  private final String host;
  private final int port;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private boolean cut;

  private TcpProxy(String host, int port) throws IOException {
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.host = host;
    this.port = port;
  }

  /** To the server of this JDBC URL. */
  static TcpProxy to(String jdbcUrl) {
    URI server = URI.create(jdbcUrl.substring("jdbc:".length()));
    try {
      TcpProxy proxy = new TcpProxy(server.getHost(), server.getPort());
      daemon(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The same database through this network. */
  String through(String jdbcUrl) {
    return jdbcUrl.replace(
        host + ":" + port,
        listening.getInetAddress().getHostAddress() + ":" + listening.getLocalPort());
  }

  synchronized void cut() {
    cut = true;
  }

  synchronized void mend() {
    cut = false;
    notifyAll();
  }

  private synchronized void awaitNetwork() throws InterruptedException {
    while (cut) {
      wait();
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = kept(listening.accept());
        daemon(() -> connect(client));
      }
    } catch (IOException closed) {
      close();
    }
  }

  private void connect(Socket client) {
    try {
      awaitNetwork();
      Socket server = kept(new Socket(host, port));
      daemon(() -> forward(client, server));
      forward(server, client);
    } catch (IOException | InterruptedException refused) {
      end(client);
    }
  }

  private void forward(Socket from, Socket to) {
    byte[] bytes = new byte[8192];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      int read = in.read(bytes);
      while (read >= 0) {
        awaitNetwork();
        out.write(bytes, 0, read);
        read = in.read(bytes);
      }
      awaitNetwork();
      to.shutdownOutput();
    } catch (IOException | InterruptedException gone) {
      end(from);
      end(to);
    }
  }

  private Socket kept(Socket socket) {
    sockets.add(socket);
    return socket;
  }

  private static void daemon(Runnable work) {
    Thread thread = new Thread(work, "proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    try {
      listening.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sockets.forEach(TcpProxy::end);
    mend();
  }
}
