package io.github.stablecut.cluster.internal.register;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcFactory;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerRpc;
import org.apache.ratis.server.ServerFactory;

/**
 * Carries the messages of Ratis through a {@link RegisterChannel}, without a port of its own. A
 * call is a byte for the kind of message, followed by the message of Ratis. Thread-safe.
 */
final class ChannelRpc implements RaftServerRpc {
  static final byte VOTE = 1;
  static final byte APPEND = 2;
  static final byte SNAPSHOT = 3;
  static final byte ELECTION = 4;

  private static final String CHANNEL = "stablecut.register.channel";
  private static final String TERMS = "stablecut.register.terms";

  /** The timeout of a call; Ratis retries. */
  private static final long TIMEOUT_MILLIS = 3_000;

  /** The RPC type, which Ratis creates by its class name. */
  public static final class Type implements RpcType {
    /** Called by Ratis. */
    public Type() {}

    @Override
    public String name() {
      return Type.class.getName();
    }

    @Override
    public RpcFactory newFactory(Parameters parameters) {
      return new Factory(
          parameters.getNonNull(CHANNEL, RegisterChannel.class),
          parameters.getNonNull(TERMS, VotedTerms.class));
    }
  }

  private record Factory(RegisterChannel channel, VotedTerms terms) implements ServerFactory {
    @Override
    public RaftServerRpc newRaftServerRpc(RaftServer server) {
      return new ChannelRpc(channel, terms);
    }

    @Override
    public RpcType getRpcType() {
      return new Type();
    }
  }

  private final RegisterChannel channel;
  private final VotedTerms terms;

  private ChannelRpc(RegisterChannel channel, VotedTerms terms) {
    this.channel = channel;
    this.terms = terms;
  }

  /** The parameters that give Ratis the channel and the terms. */
  static Parameters parameters(RegisterChannel channel, VotedTerms terms) {
    Parameters parameters = new Parameters();
    parameters.put(CHANNEL, channel, RegisterChannel.class);
    parameters.put(TERMS, terms, VotedTerms.class);
    return parameters;
  }

  private byte[] call(RaftRpcRequestProto head, byte kind, byte[] message) throws IOException {
    byte[] request = new byte[message.length + 1];
    request[0] = kind;
    System.arraycopy(message, 0, request, 1, message.length);
    String to = head.getReplyId().toStringUtf8();
    try {
      return channel
          .call(to, request)
          .toCompletableFuture()
          .get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("node %s does not answer: %s".formatted(to, e), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  @Override
  public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
    terms.raiseTo(request.getCandidateTerm());
    return RequestVoteReplyProto.parseFrom(
        call(request.getServerRequest(), VOTE, request.toByteArray()));
  }

  @Override
  public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request)
      throws IOException {
    terms.raiseTo(request.getLeaderTerm());
    return AppendEntriesReplyProto.parseFrom(
        call(request.getServerRequest(), APPEND, request.toByteArray()));
  }

  @Override
  public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request)
      throws IOException {
    terms.raiseTo(request.getLeaderTerm());
    return InstallSnapshotReplyProto.parseFrom(
        call(request.getServerRequest(), SNAPSHOT, request.toByteArray()));
  }

  @Override
  public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request)
      throws IOException {
    return StartLeaderElectionReplyProto.parseFrom(
        call(request.getServerRequest(), ELECTION, request.toByteArray()));
  }

  /**
   * Has a server answer a call of another server's {@link ChannelRpc}.
   *
   * @param terms the voted terms of the server
   */
  static byte[] answer(RaftServer server, VotedTerms terms, byte kind, byte[] message)
      throws IOException {
    switch (kind) {
      case VOTE -> {
        RequestVoteRequestProto request = RequestVoteRequestProto.parseFrom(message);
        terms.raiseTo(request.getCandidateTerm());
        return server.requestVote(request).toByteArray();
      }
      case APPEND -> {
        AppendEntriesRequestProto request = AppendEntriesRequestProto.parseFrom(message);
        terms.raiseTo(request.getLeaderTerm());
        return server.appendEntries(request).toByteArray();
      }
      case SNAPSHOT -> {
        InstallSnapshotRequestProto request = InstallSnapshotRequestProto.parseFrom(message);
        terms.raiseTo(request.getLeaderTerm());
        return server.installSnapshot(request).toByteArray();
      }
      case ELECTION -> {
        return server
            .startLeaderElection(StartLeaderElectionRequestProto.parseFrom(message))
            .toByteArray();
      }
      default ->
          throw new IOException(
              "a call of the configuration register has the unknown kind " + kind);
    }
  }

  @Override
  public void start() {}

  /** A placeholder, as there is no socket. */
  @Override
  public InetSocketAddress getInetSocketAddress() {
    return InetSocketAddress.createUnresolved("none", 0);
  }

  @Override
  public void handleException(RaftPeerId id, Exception e, boolean reconnects) {}

  @Override
  public void addRaftPeers(Collection<RaftPeer> peers) {}

  @Override
  public RpcType getRpcType() {
    return new Type();
  }

  @Override
  public void close() {}
}
