package io.github.stablecut.cluster.internal.register;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.stablecut.internal.thread.Threads;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.jspecify.annotations.Nullable;

/**
 * Requests of a node to its own Ratis server. An answer begins with a byte for its kind.
 * Thread-safe.
 *
 * <p>Ratis hands a request to one of its threads and waits until that takes it: forever, if the
 * server is closed meanwhile. So a thread named {@code register-request} waits instead of the
 * caller.
 */
final class RegisterRequests implements AutoCloseable {
  private static final int MAX_THREADS = 64;
  private static final long IDLE_SECONDS = 10;

  /** The kind of an answer that is followed by the outcome. */
  static final byte OUTCOME = 1;

  /**
   * The kind of an answer of a node that is not the leader; the leader's name follows, or nothing
   * if it is unknown.
   */
  static final byte NOT_LEADER = 2;

  private final RaftGroupId group;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();

  @GuardedBy("this")
  private ExecutorService threads = newThreads();

  /**
   * The server that the threads call. Threads that wait for an earlier, closed server are
   * abandoned.
   */
  @GuardedBy("this")
  private @Nullable RaftServer currentServer;

  RegisterRequests(RaftGroupId group) {
    this.group = group;
  }

  private static ExecutorService newThreads() {
    return new ThreadPoolExecutor(
        0,
        MAX_THREADS,
        IDLE_SECONDS,
        TimeUnit.SECONDS,
        new SynchronousQueue<>(),
        task -> Threads.daemon("register-request", task));
  }

  private synchronized ExecutorService threadsFor(RaftServer keeper) {
    if (currentServer != keeper) {
      threads.shutdown();
      threads = newThreads();
      currentServer = keeper;
    }
    return threads;
  }

  /** Appends an entry to the log; completes once it is applied. */
  CompletableFuture<byte[]> submit(RaftServer keeper, byte[] command) {
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(client)
            .setServerId(keeper.getId())
            .setGroupId(group)
            .setCallId(calls.incrementAndGet())
            .setMessage(Message.valueOf(ByteString.copyFrom(command)))
            .setType(RaftClientRequest.writeRequestType())
            .build();
    return ask(keeper, () -> keeper.submitClientRequestAsync(request));
  }

  private CompletableFuture<byte[]> ask(RaftServer keeper, RatisCall call) {
    CompletableFuture<CompletableFuture<RaftClientReply>> submitted = new CompletableFuture<>();
    try {
      threadsFor(keeper)
          .execute(
              () -> {
                try {
                  submitted.complete(call.call());
                } catch (IOException | RuntimeException | Error e) {
                  submitted.completeExceptionally(e);
                }
              });
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(
          new IOException("the configuration register has too many requests in flight", e));
    }
    return submitted.thenCompose(reply -> reply).thenCompose(RegisterRequests::answer);
  }

  /** Ends the idle threads. */
  @Override
  public synchronized void close() {
    threads.shutdown();
  }

  /** A call of Ratis. */
  private interface RatisCall {
    CompletableFuture<RaftClientReply> call() throws IOException;
  }

  /** Changes the keepers of the register; completes once the new ones have agreed. */
  CompletableFuture<byte[]> configure(RaftServer keeper, List<RaftPeer> peers) throws IOException {
    if (!keeper.getDivision(group).getInfo().isAlive()) {
      throw new IOException("this node's part of the configuration register is closed");
    }
    SetConfigurationRequest request =
        new SetConfigurationRequest(
            client,
            keeper.getId(),
            group,
            calls.incrementAndGet(),
            SetConfigurationRequest.Arguments.newBuilder().setServersInNewConf(peers).build());
    return ask(keeper, () -> keeper.setConfigurationAsync(request));
  }

  private static CompletableFuture<byte[]> answer(RaftClientReply reply) {
    if (reply.isSuccess()) {
      Message message = reply.getMessage();
      byte[] content = message == null ? new byte[0] : message.getContent().toByteArray();
      return CompletableFuture.completedFuture(tagged(OUTCOME, content));
    }
    if (reply.getNotLeaderException() != null) {
      RaftPeer leader = reply.getNotLeaderException().getSuggestedLeader();
      String name = leader == null ? "" : leader.getId().toString();
      return CompletableFuture.completedFuture(tagged(NOT_LEADER, name.getBytes(UTF_8)));
    }
    return CompletableFuture.failedFuture(
        new IOException(
            "the configuration register refused a command: %s".formatted(reply.getException()),
            reply.getException()));
  }

  static byte[] tagged(byte tag, byte[] bytes) {
    byte[] all = new byte[bytes.length + 1];
    all[0] = tag;
    System.arraycopy(bytes, 0, all, 1, bytes.length);
    return all;
  }
}
