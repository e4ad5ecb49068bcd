package io.github.stablecut.cluster.internal.antidote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.stablecut.crdt.Bytes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Reads large frames and many small parts in bounded memory. */
final class WireReaderTest {
  @Test
  void releasesEachChunkOnceItIsRead() {
    Request.Start start = new Request.Start(Optional.of(Bytes.wrap(new byte[1 << 20])));
    byte[] body = Frames.body(RequestCodec.write(start, Frames.NO_LIMIT));
    Deque<byte[]> chunks = Frames.chunks(body, 1 << 16);

    assertThat(RequestCodec.read(chunks)).isEqualTo(start);
    assertThat(chunks).isEmpty();
  }

  @Test
  void refusesMorePartsThanMemoryCouldHold() {
    byte[] body = new byte[2 * WireReader.MAX_ITEMS + 3];
    body[0] = (byte) MessageCode.CONNECT_TO_DCS;
    for (int i = 1; i < body.length; i += 2) {
      body[i] = 0x0a;
    }

    assertThatThrownBy(() -> RequestCodec.read(new ArrayDeque<>(List.of(body))))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("parts, the maximum for the server's heap");
  }

  @Test
  void refusesToWriteMoreThanAllowed() {
    Response large = new Response.Started(Bytes.wrap(new byte[2_000]));

    assertThat(ResponseCodec.write(large, 2_100)).isNotEmpty();
    assertThatThrownBy(() -> ResponseCodec.write(large, 2_000))
        .isInstanceOf(TooLargeException.class)
        .hasMessageContaining("2,000 bytes");
  }
}
