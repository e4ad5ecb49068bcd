package io.github.stablecut.cluster.internal.register;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

/**
 * What a node asks of its own part of the register, as Ratis runs it. An answer is a byte that says
 * what follows. Thread-safe.
 */
final class RegisterRequests {
  /** The outcome follows. */
  static final byte OUTCOME = 1;

  /** Not the leader; the name of the leader follows, if it is known. */
  static final byte ELSEWHERE = 2;

  private final RaftGroupId group;
  private final ClientId client = ClientId.randomId();
  private final AtomicLong calls = new AtomicLong();

  RegisterRequests(RaftGroupId group) {
    this.group = group;
  }

  /** Puts an entry into the log; completes once that is applied. */
  CompletableFuture<byte[]> submit(RaftServer keeper, byte[] command) throws IOException {
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(client)
            .setServerId(keeper.getId())
            .setGroupId(group)
            .setCallId(calls.incrementAndGet())
            .setMessage(Message.valueOf(ByteString.copyFrom(command)))
            .setType(RaftClientRequest.writeRequestType())
            .build();
    return keeper.submitClientRequestAsync(request).thenCompose(RegisterRequests::answer);
  }

  /** Has others keep the register from now on; completes once they have agreed on that. */
  CompletableFuture<byte[]> configure(RaftServer keeper, List<RaftPeer> peers) throws IOException {
    if (!keeper.getDivision(group).getInfo().isAlive()) {
      throw new IOException("one that has been closed would never answer");
    }
    return keeper
        .setConfigurationAsync(
            new SetConfigurationRequest(
                client,
                keeper.getId(),
                group,
                calls.incrementAndGet(),
                SetConfigurationRequest.Arguments.newBuilder().setServersInNewConf(peers).build()))
        .thenCompose(RegisterRequests::answer);
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
      return CompletableFuture.completedFuture(tagged(ELSEWHERE, name.getBytes(UTF_8)));
    }
    return CompletableFuture.failedFuture(
        new IOException(
            "the register has refused a command: %s".formatted(reply.getException()),
            reply.getException()));
  }

  static byte[] tagged(byte tag, byte[] bytes) {
    byte[] all = new byte[bytes.length + 1];
    all[0] = tag;
    System.arraycopy(bytes, 0, all, 1, bytes.length);
    return all;
  }
}
