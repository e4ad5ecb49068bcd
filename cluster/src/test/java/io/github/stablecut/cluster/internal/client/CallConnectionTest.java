package io.github.stablecut.cluster.internal.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.cluster.internal.call.Answer;
import io.github.stablecut.cluster.internal.call.AnswerCodec;
import io.github.stablecut.cluster.internal.call.Call;
import io.github.stablecut.cluster.internal.call.CallFrame;
import io.github.stablecut.crdt.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What comes between a call and its answer. */
class CallConnectionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final List<ByteBuffer> ALIVE = CallFrame.write(CallFrame.ALIVE, Bytes.EMPTY);
  private static final List<ByteBuffer> DONE =
      CallFrame.write(CallFrame.ANSWER, AnswerCodec.encode(new Answer.Done()));

  /** Makes a call to somebody who sends this and ends. */
  @SafeVarargs
  private static Answer callAnsweredBy(List<ByteBuffer>... frames) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (List<ByteBuffer> frame : frames) {
      frame.forEach(
          part -> all.write(part.array(), part.arrayOffset() + part.position(), part.remaining()));
    }
    try (ServerSocket port = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        Socket client = new Socket(port.getInetAddress(), port.getLocalPort());
        Socket server = port.accept()) {
      server.getOutputStream().write(all.toByteArray());
      server.shutdownOutput();
      return new CallConnection(client, PATIENCE).call(Call.Plain.LAYOUT);
    }
  }

  @Test
  void signsOfLifeAreNoAnswer() throws IOException {
    assertThat(callAnsweredBy(ALIVE, ALIVE, DONE)).isEqualTo(new Answer.Done());
  }

  @Test
  void whoDiesAfterASignOfLifeHasNotAnswered() {
    assertThatThrownBy(() -> callAnsweredBy(ALIVE)).isInstanceOf(EOFException.class);
  }
}
