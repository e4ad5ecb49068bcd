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

/** The stored objects, all in one bucket: the text, and each author's caret. */
final class Paper {
  static final String BUCKET = "paper";
  static final TextKey TEXT = Key.text(BUCKET, "text");

  private static final String CARETS = "caret/";
  private static final Codec<Caret> CARET = KryoCodec.of(Caret.class, 100).build();

  private Paper() {}

  /**
   * The position of an author.
   *
   * @param window of the author
   * @param desk the number of the window's desk
   * @param position the number of code points before the caret
   */
  record Caret(String window, String name, int desk, int position) {}

  /** Edits the text in a transaction. */
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

  /** All carets in a transaction's snapshot. */
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
