package io.github.stablecut.cluster;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A proxy of a server that records the calls of clients and loses answers: it closes the connection
 * in place of forwarding them. Thread-safe.
 */
final class CallProxy implements AutoCloseable {
  private final ServerSocket listening;
  private final InetSocketAddress server;
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /** The number of answers to session requests that are still to be lost. */
  private final AtomicInteger lost = new AtomicInteger();

  CallProxy(InetSocketAddress server) throws IOException {
    this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    this.server = server;
    start(this::accept);
  }

  /** The URI for {@code Stablecut.connect}. */
  String uri() {
    return "stablecut://127.0.0.1:" + listening.getLocalPort();
  }

  /** Loses the next answers to session requests. */
  void loseAnswers(int number) {
    lost.set(number);
  }

  /** The number of answers that are still to be lost. */
  int remainingLosses() {
    return lost.get();
  }

  /**
   * Returns the kinds of the calls since the previous invocation, without calls that are made in
   * the background or once per connection.
   */
  @CanIgnoreReturnValue
  List<String> takeCalls() {
    List<Call> taken = List.copyOf(calls);
    calls.removeAll(taken);
    return taken.stream()
        .filter(
            call ->
                !(call instanceof Call.Hello
                    || call instanceof Call.Renew
                    || call == Call.Plain.LAYOUT))
        .map(call -> call instanceof Call.Plain ? call.toString() : call.getClass().getSimpleName())
        .toList();
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "call-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  private void accept() {
    while (!listening.isClosed()) {
      try {
        Socket client = listening.accept();
        sockets.add(client);
        start(() -> serve(client));
      } catch (IOException e) {
        return;
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        Socket target = new Socket(server.getAddress(), server.getPort())) {
      target.setTcpNoDelay(true);
      client.setTcpNoDelay(true);
      DataInputStream fromClient = new DataInputStream(client.getInputStream());
      DataInputStream fromServer = new DataInputStream(target.getInputStream());
      DataOutputStream toServer = new DataOutputStream(target.getOutputStream());
      DataOutputStream toClient = new DataOutputStream(client.getOutputStream());
      while (true) {
        byte[] frame = forward(fromClient.readNBytes(fromClient.readInt()), toServer);
        Call call = CallCodec.decodeFrame(Bytes.wrap(frame));
        calls.add(call);
        byte[] answer;
        do {
          answer = fromServer.readNBytes(fromServer.readInt());
        } while ((answer[0] & 0xff) == CallFrame.ALIVE);
        if (isLost(call)) {
          return;
        }
        forward(answer, toClient);
      }
    } catch (IOException e) {
      // One of the connections has ended.
    }
  }

  private boolean isLost(Call call) {
    Call made = call instanceof Call.AfterPoint after ? after.call() : call;
    return made instanceof Call.WriteOnce
        && lost.getAndUpdate(number -> Math.max(0, number - 1)) > 0;
  }

  private static byte[] forward(byte[] frame, DataOutputStream to) throws IOException {
    byte[] whole = new byte[Integer.BYTES + frame.length];
    java.nio.ByteBuffer.wrap(whole).putInt(frame.length).put(frame);
    to.write(whole);
    return frame;
  }

  @Override
  public void close() {
    try {
      listening.close();
      for (Socket socket : sockets) {
        socket.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
