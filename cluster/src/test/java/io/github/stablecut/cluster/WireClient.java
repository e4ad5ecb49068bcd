package io.github.stablecut.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.antidote.BoundObject;
import io.github.stablecut.cluster.internal.antidote.ErrorCode;
import io.github.stablecut.cluster.internal.antidote.ObjectUpdate;
import io.github.stablecut.cluster.internal.antidote.Request;
import io.github.stablecut.cluster.internal.antidote.Response;
import io.github.stablecut.cluster.internal.antidote.WireOperation;
import io.github.stablecut.cluster.internal.antidote.WireType;
import io.github.stablecut.cluster.internal.antidote.WireValue;
import io.github.stablecut.cluster.internal.client.ClientConnection;
import io.github.stablecut.crdt.Bytes;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** A client of AntidoteDB's protocol that sends single messages. */
final class WireClient implements Closeable {
  static final long MAX_BYTES = 1 << 30;
  private static final int SOCKET_TIMEOUT_MILLIS = 60_000;

  private final Socket socket;
  private final ClientConnection connection;

  WireClient(Server server) throws IOException {
    this(server.address());
  }

  WireClient(InetSocketAddress address) throws IOException {
    this(new Socket(address.getAddress(), address.getPort()));
  }

  WireClient(Socket socket) throws IOException {
    this.socket = socket;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(SOCKET_TIMEOUT_MILLIS);
    this.connection = new ClientConnection(socket, MAX_BYTES);
  }

  static BoundObject object(WireType type, String key) {
    return new BoundObject(Bytes.utf8(key), type, Bytes.utf8("bucket"));
  }

  static BoundObject counter(String key) {
    return object(WireType.COUNTER, key);
  }

  static ObjectUpdate add(String key, long amount) {
    return new ObjectUpdate(counter(key), new WireOperation.Count(amount));
  }

  static Request.StaticUpdate updateOf(ObjectUpdate... updates) {
    return new Request.StaticUpdate(Optional.empty(), List.of(updates));
  }

  static Request.StaticRead readOf(BoundObject... objects) {
    return new Request.StaticRead(Optional.empty(), List.of(objects));
  }

  /**
   * Sends a request and waits for its answer.
   *
   * @throws IOException if the server has ended, or refuses the request because it is stopping
   */
  Response call(Request request) throws IOException {
    Response response = connection.call(request);
    if (response instanceof Response.Failed failed
        && failed.message().startsWith("the server is stopping")) {
      throw new IOException(failed.message());
    }
    return response;
  }

  void send(Request request) throws IOException {
    connection.send(request);
  }

  Response receive() throws IOException {
    return connection.receive();
  }

  /** Sends bytes unchanged. */
  void send(String hex) throws IOException {
    socket.getOutputStream().write(HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  Bytes update(ObjectUpdate... updates) throws IOException {
    return clock(call(updateOf(updates)));
  }

  static Bytes clock(Response response) {
    assertThat(response).isInstanceOf(Response.Committed.class);
    return ((Response.Committed) response).clock();
  }

  List<WireValue> values(BoundObject... objects) throws IOException {
    Response response = call(readOf(objects));
    assertThat(response).isInstanceOf(Response.StaticValues.class);
    return ((Response.StaticValues) response).values();
  }

  long count(String key) throws IOException {
    return ((WireValue.Count) values(counter(key)).get(0)).value();
  }

  Bytes begin() throws IOException {
    Response response = call(new Request.Start(Optional.empty()));
    assertThat(response).isInstanceOf(Response.Started.class);
    return ((Response.Started) response).descriptor();
  }

  void updateIn(Bytes transaction, ObjectUpdate... updates) throws IOException {
    assertThat(call(new Request.Update(List.of(updates), transaction)))
        .isEqualTo(new Response.Done());
  }

  long countIn(Bytes transaction, String key) throws IOException {
    Response response = call(new Request.Read(List.of(counter(key)), transaction));
    assertThat(response).isInstanceOf(Response.Values.class);
    return ((WireValue.Count) ((Response.Values) response).values().get(0)).value();
  }

  Bytes commit(Bytes transaction) throws IOException {
    return clock(call(new Request.Commit(transaction)));
  }

  /** Makes a call that is expected to fail; returns its message, which must be a sentence. */
  String refused(Request request, ErrorCode code) throws IOException {
    return failed(call(request), code);
  }

  /**
   * Requests connections of data centres, and expects a refusal; returns the reason, which must be
   * a sentence.
   */
  String unconnected(List<Bytes> descriptors) throws IOException {
    Response response = call(new Request.ConnectDataCentres(descriptors));
    assertThat(response).isInstanceOf(Response.DataCentresNotConnected.class);
    Response.DataCentresNotConnected refusal = (Response.DataCentresNotConnected) response;
    assertThat(refusal.code()).as(refusal.reason()).isEqualTo(ErrorCode.BAD_REQUEST);
    assertThat(refusal.reason()).doesNotContain("Exception", "\tat ").hasSizeGreaterThan(15);
    return refusal.reason();
  }

  static String failed(Response response, ErrorCode code) {
    assertThat(response).isInstanceOf(Response.Failed.class);
    Response.Failed failed = (Response.Failed) response;
    assertThat(failed.code()).as(failed.message()).isEqualTo(code);
    assertThat(failed.message()).doesNotContain("\n", "Exception", "\tat ").hasSizeGreaterThan(15);
    return failed.message();
  }

  /** Waits until the server closes the connection without sending anything more. */
  void expectClosed() throws IOException {
    assertThat(socket.getInputStream().read()).isEqualTo(-1);
  }

  Socket socket() {
    return socket;
  }

  static List<WireValue> counts(Long... values) {
    return Arrays.stream(values).<WireValue>map(WireValue.Count::new).toList();
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
