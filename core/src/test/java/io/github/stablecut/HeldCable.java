package io.github.stablecut;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/**
 * Forwards connections to a port, and holds the replies back after some bytes: until it is
 * released, or for good if it is cut.
 */
final class HeldCable implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 14;

  private final ServerSocket listening;
  private final int target;
  private final long heldAfter;
  private final CountDownLatch isHeld = new CountDownLatch(1);
  private final CountDownLatch letGo = new CountDownLatch(1);
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  HeldCable(String address, long heldAfter) throws IOException {
    this.target = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
    this.heldAfter = heldAfter;
    this.listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    start(this::acceptAll);
  }

  String address() {
    return "127.0.0.1:" + listening.getLocalPort();
  }

  /** Waits until something is held back. */
  void awaitHeld() throws InterruptedException {
    isHeld.await();
  }

  void release() {
    letGo.countDown();
  }

  /** Ends all connections and accepts no more. */
  void cut() throws IOException {
    listening.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work, "held-cable");
    thread.setDaemon(true);
    thread.start();
  }

  private void acceptAll() {
    try {
      while (true) {
        Socket here = listening.accept();
        Socket there = new Socket();
        // The data in flight must not fit into the system's buffers.
        there.setReceiveBufferSize(BUFFER_BYTES);
        sockets.add(here);
        sockets.add(there);
        there.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), target));
        start(() -> carry(here, there, Long.MAX_VALUE));
        start(() -> carry(there, here, heldAfter));
      }
    } catch (IOException e) {
      // It was cut.
    }
  }

  private void carry(Socket from, Socket to, long most) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[BUFFER_BYTES];
      long carried = 0;
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        out.write(buffer, 0, read);
        carried += read;
        if (carried > most) {
          isHeld.countDown();
          letGo.await();
        }
      }
    } catch (IOException | InterruptedException e) {
      // One side has closed it.
    }
  }

  @Override
  public void close() throws IOException {
    release();
    cut();
  }
}
