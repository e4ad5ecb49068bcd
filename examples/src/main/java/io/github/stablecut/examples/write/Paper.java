package io.github.stablecut.examples.write;

import io.github.stablecut.Scan;
import io.github.stablecut.Transaction;
import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.KryoCodec;
import io.github.stablecut.examples.trace.Trace.Patch;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;
import io.github.stablecut.key.TextKey;
import io.github.stablecut.option.ScanOptions;
import java.util.ArrayList;
import java.util.List;

/** What is stored: the text, and where each author is in it. All objects are in one bucket. */
final class Paper {
  static final String BUCKET = "paper";
  static final TextKey TEXT = Key.text(BUCKET, "text");

  private static final String CARETS = "caret/";
  private static final Codec<Caret> CARET = KryoCodec.of(Caret.class, 100).build();

  private Paper() {}

  /**
   * Where an author is.
   *
   * @param window the author's
   * @param desk the number of the desk that the window is of
   * @param position how many code points are before the caret
   */
  record Caret(String window, String name, int desk, int position) {}

  /** Edits the text that a transaction sees. */
  static void edit(Transaction transaction, Patch patch) {
    if (patch.deleted() > 0) {
      transaction.update(TEXT.delete(patch.position(), patch.deleted()));
    }
    if (!patch.inserted().isEmpty()) {
      transaction.update(TEXT.insert(patch.position(), patch.inserted()));
    }
  }

  /** The register of a window's caret; it has no value once the window is closed. */
  static RegisterKey<Caret> caret(String window) {
    return Key.register(BUCKET, CARETS + window, CARET);
  }

  /** All carets that a transaction sees. */
  static List<Caret> carets(Transaction reader) {
    List<Caret> carets = new ArrayList<>();
    try (Scan scan = reader.scan(ScanOptions.bucket(BUCKET).prefix(CARETS).keysOnly())) {
      scan.forEachRemaining(
          object -> {
            String window = object.key().toUtf8().substring(CARETS.length());
            reader.read(caret(window)).ifPresent(carets::add);
          });
    }
    return List.copyOf(carets);
  }
}
