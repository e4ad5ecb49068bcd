package io.github.stablecut.cluster.internal.client;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.github.stablecut.client.NotInProtocolException;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.ResponseCodec;
import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallCodec;
import io.github.stablecut.cluster.internal.call.CallFailures;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import io.github.stablecut.error.IoReason;
import io.github.stablecut.internal.thread.FireAndForget;
import io.github.stablecut.internal.thread.Threads;
import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

/**
 * A connection that carries calls. Confined to one thread at a time, except {@link #close} and
 * {@link #breakOff}, which end a waiting call from any thread.
 */
final class CallConnection implements Closeable {
  private static final int MAX_BYTES = 1 << 30;
  private static final int CHUNK_BYTES = 1 << 20;

  /** The unit of the write timeout: a server that accepts less than this in time is silent. */
  private static final int WRITE_CHUNK_BYTES = 64 << 10;

  /**
   * A write of at most this size fits into the kernel's buffers, because nothing else is in flight.
   */
  private static final int SMALL_WRITE_BYTES = 4 << 10;

  /** Time to read a refusal that the server sent before it closed the connection. */
  private static final Duration REFUSAL_TIMEOUT = Duration.ofSeconds(1);

  private final Socket socket;
  private final Duration defaultTimeout;
  private final DataInputStream in;
  private final OutputStream out;
  private boolean hasAnswered;

  /**
   * @param socket connected; closed with this
   * @param defaultTimeout the timeout of calls that name none
   */
  CallConnection(Socket socket, Duration defaultTimeout) throws IOException {
    this.socket = socket;
    this.defaultTimeout = defaultTimeout;
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 14));
    this.out = socket.getOutputStream();
  }

  /**
   * Makes a call and waits for its answer.
   *
   * @param silence how long the server may neither send anything, not even a sign of life, nor
   *     accept bytes
   * @throws SocketTimeoutException if the server was silent for that long
   * @throws io.github.stablecut.error.StablecutException what the server throws
   */
  Answer call(Call call, Duration silence) throws IOException {
    try {
      send(call, silence);
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      throwRefusal();
      throw e;
    }
    return receive(silence);
  }

  /**
   * Throws the server's refusal, if it sent one. A server that refuses a call for its size answers
   * and closes the connection before it has read the entire call.
   */
  private void throwRefusal() {
    try {
      receive(REFUSAL_TIMEOUT);
    } catch (IOException e) {
      // The server gave no reason.
    } finally {
      close();
    }
  }

  /** Whether the connection accepts further calls. */
  boolean isOpen() {
    return !socket.isClosed();
  }

  /** Like {@link #call(Call, Duration)}, with the connection's default timeout. */
  Answer call(Call call) throws IOException {
    return call(call, defaultTimeout);
  }

  /** Makes a call without waiting for its answer. */
  void send(Call call) throws IOException {
    send(call, defaultTimeout);
  }

  private void send(Call call, Duration silence) throws IOException {
    try {
      write(call, silence);
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      throw hasAnswered ? e : beforeFirstAnswer(e);
    }
  }

  private void write(Call call, Duration silence) throws IOException {
    List<ByteBuffer> frame = CallFrame.write(CallFrame.CALL, CallCodec.encode(call));
    for (ByteBuffer part : frame) {
      int end = part.arrayOffset() + part.limit();
      for (int from = part.arrayOffset() + part.position(); from < end; from += WRITE_CHUNK_BYTES) {
        write(part.array(), from, Math.min(WRITE_CHUNK_BYTES, end - from), silence);
      }
    }
  }

  /**
   * Writes bytes, and closes the connection if the server and the network accept none of them in
   * time. A small write needs no timeout: it fits into the kernel's buffer.
   */
  private void write(byte[] bytes, int from, int length, Duration silence) throws IOException {
    if (length <= SMALL_WRITE_BYTES) {
      out.write(bytes, from, length);
      return;
    }
    CompletableFuture<Void> taken = new CompletableFuture<>();
    FireAndForget.whenDone(
        taken.orTimeout(silence.toNanos(), TimeUnit.NANOSECONDS),
        (done, late) -> breakOffIf(late != null));
    try {
      out.write(bytes, from, length);
    } catch (IOException e) {
      throw taken.isCompletedExceptionally()
          ? new SocketTimeoutException("the server stopped reading the call")
          : e;
    } finally {
      taken.complete(null);
    }
  }

  /** Resets the connection: an orderly TLS close would wait for the pending write. */
  private void breakOffIf(boolean isLate) {
    if (isLate) {
      breakOff();
    }
  }

  /** Resets the connection on another thread, whatever is in flight. */
  void breakOff() {
    if (isOpen()) {
      Threads.daemon("stablecut-end", this::reset).start();
    }
  }

  private void reset() {
    try {
      socket.setSoLinger(true, 0);
    } catch (IOException e) {
      // The socket is closed already.
    }
    close();
  }

  /**
   * Waits for the answer to the oldest unanswered call.
   *
   * @throws io.github.stablecut.error.StablecutException what the server throws
   */
  Answer receive() throws IOException {
    return receive(defaultTimeout);
  }

  /**
   * Like {@link #receive()}. Every wait sets its own timeout, so a failed wait leaves none behind.
   *
   * @param silence how long the server may send nothing
   */
  @CanIgnoreReturnValue
  Answer receive(Duration silence) throws IOException {
    socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, silence.toMillis()));
    while (true) {
      byte[] frame = hasAnswered ? readFrame() : readFirst();
      hasAnswered = true;
      int code = frame[0] & 0xff;
      if (code == CallFrame.ANSWER) {
        checkVersion(CallFrame.version(Bytes.wrap(frame)));
        return answer(frame);
      } else if (code != CallFrame.ALIVE) {
        // An error response is the last message of a connection.
        close();
        throw RemoteErrors.of(response(frame));
      }
    }
  }

  private static void checkVersion(int version) {
    if (version != CallFrame.VERSION) {
      throw new NotInProtocolException(
          "the server speaks version %d of the protocol and this client version %d: use a client of the server's version"
              .formatted(version, CallFrame.VERSION));
    }
  }

  private static Answer answer(byte[] frame) throws IOException {
    Answer answer;
    try {
      answer = AnswerCodec.decodeFrame(Bytes.wrap(frame));
    } catch (RuntimeException e) {
      throw new IOException("invalid answer: " + e.getMessage(), e);
    }
    if (answer instanceof Answer.Failed failed) {
      throw CallFailures.exception(failed);
    }
    return answer;
  }

  private static Response response(byte[] frame) throws IOException {
    try {
      return ResponseCodec.read(new ArrayDeque<>(List.of(frame)));
    } catch (RuntimeException e) {
      throw new IOException("invalid answer: is it a Stablecut server?", e);
    }
  }

  private byte[] readFirst() throws IOException {
    try {
      return readFrame();
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      throw beforeFirstAnswer(e);
    }
  }

  /**
   * Adds the likely cause to the failure of a connection that breaks before the server's first
   * answer. A server with TLS closes a connection without TLS, or sends a TLS alert. With TLS 1.3
   * the client's handshake ends before the server has verified the client's certificate. A refused
   * certificate may therefore show only as a broken connection.
   */
  private IOException beforeFirstAnswer(IOException cause) {
    return socket instanceof SSLSocket
        ? new SSLException(IoReason.of(cause) + " (with TLS, before its first answer)", cause)
        : new IOException(
            IoReason.of(cause)
                + " (before its first answer: if the server has TLS, connect with stablecut+tls://)",
            cause);
  }

  private byte[] readFrame() throws IOException {
    int length = in.readInt();
    if (length < 1 || length > MAX_BYTES) {
      throw new IOException(
          "it announced an answer of %,d bytes, outside 1 to %,d: is it a Stablecut server?"
              .formatted(Integer.toUnsignedLong(length), MAX_BYTES));
    }
    if (length <= CHUNK_BYTES) {
      byte[] frame = in.readNBytes(length);
      return frame.length == length ? frame : ended(frame.length, length);
    }
    return readLarge(length);
  }

  /** Reads a large frame in chunks, so that an announced length alone allocates no memory. */
  private byte[] readLarge(int length) throws IOException {
    Deque<byte[]> chunks = new ArrayDeque<>();
    int missing = length;
    while (missing > 0) {
      byte[] chunk = in.readNBytes(Math.min(missing, CHUNK_BYTES));
      if (chunk.length == 0) {
        return ended(length - missing, length);
      }
      chunks.add(chunk);
      missing -= chunk.length;
    }
    return CallFrame.join(chunks).unwrap();
  }

  private static byte[] ended(int read, int length) throws EOFException {
    throw new EOFException(
        "the connection ended %,d bytes before an answer of %,d".formatted(length - read, length));
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // Nothing more can be done.
    }
  }
}
