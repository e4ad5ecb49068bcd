package io.github.stablecut.cluster.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.stablecut.cluster.internal.ring.Pieces.Part;
import io.github.stablecut.crdt.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A message that was cut is put together wholly or not at all. */
class PiecesTest {
  private final AtomicLong nanos = new AtomicLong();
  private final Pieces pieces = new Pieces(nanos::get);
  private final Bytes large = large();
  private final List<Part> parts = Pieces.cut(large);

  private static Bytes large() {
    byte[] large = new byte[3 * Pieces.PIECE_BYTES + 5];
    new Random(1).nextBytes(large);
    return Bytes.wrap(large);
  }

  private void keep(long number, Part part) {
    pieces.keep(new RingMessage.Piece(1, number, Optional.empty(), part));
  }

  private Optional<Bytes> finish(long number) {
    return pieces.finish(Optional.empty(), number, parts.get(3));
  }

  @Test
  void piecesAreThePartsOfTheWhole() {
    assertThat(parts).hasSize(4);
    for (Part part : parts.subList(0, 3)) {
      keep(2, part);
      keep(3, part);
    }

    assertThat(finish(2)).contains(large);
    assertThat(finish(3)).contains(large);
    assertThat(finish(2)).isEmpty();
  }

  @Test
  void whatIsSmallIsWhole() {
    Bytes small = Bytes.utf8("small");
    assertThat(Pieces.cut(small)).containsExactly(new Part(0, small));
    assertThat(pieces.finish(Optional.empty(), 2, new Part(0, small))).contains(small);
  }

  @Test
  void ofWhatAPieceWasLostNothingIsLeft() {
    for (int lost = 0; lost < 3; lost++) {
      for (int kept = 0; kept < 3; kept++) {
        if (kept != lost) {
          keep(lost, parts.get(kept));
        }
      }
      assertThat(finish(lost)).isEmpty();
    }
    assertThat(finish(9)).isEmpty();
  }

  @Test
  void aPieceThatComesTwiceMakesNoOtherMessage() {
    keep(2, parts.get(0));
    keep(2, parts.get(1));
    keep(2, parts.get(1));
    keep(2, parts.get(2));

    assertThat(finish(2)).isEmpty();
  }

  @Test
  void whatGetsNoPieceForLongIsForgotten() {
    keep(2, parts.get(0));
    keep(3, parts.get(0));
    nanos.addAndGet(Pieces.PATIENCE.toNanos() - 1);
    keep(3, parts.get(1));
    nanos.addAndGet(1);
    keep(3, parts.get(2));
    for (Part part : parts.subList(1, 3)) {
      keep(2, part);
    }

    assertThat(finish(2)).isEmpty();
    assertThat(finish(3)).contains(large);
  }

  @Test
  void ofTooMuchTheOldestIsForgotten() {
    int many = Pieces.MAX_BYTES / Pieces.PIECE_BYTES;
    Bytes same = parts.get(0).bytes();
    keep(-1, parts.get(0));
    keep(-2, parts.get(0));
    for (int number = 0; number < many - 3; number++) {
      keep(number, new Part(0, same));
    }
    for (Part part : parts.subList(1, 3)) {
      keep(-2, part);
    }

    assertThat(finish(-2)).contains(large);
    for (Part part : parts.subList(1, 3)) {
      keep(-1, part);
    }
    assertThat(finish(-1)).isEmpty();
  }
}
