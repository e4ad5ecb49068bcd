package io.github.stablecut.crdt.sequence;

import io.github.stablecut.crdt.Decoder;
import io.github.stablecut.crdt.Encoder;
import io.github.stablecut.crdt.PageWriter;
import io.github.stablecut.crdt.Pages;
import io.github.stablecut.crdt.internal.sequence.Content;
import io.github.stablecut.crdt.internal.sequence.Elements;
import io.github.stablecut.crdt.internal.sequence.Run;
import io.github.stablecut.crdt.internal.sequence.RunOrder;
import io.github.stablecut.crdt.internal.sequence.RunPages;
import io.github.stablecut.crdt.internal.sequence.RunTree;
import io.github.stablecut.crdt.internal.sequence.RunsCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Encodes and decodes the states of lists and texts. Thread-safe.
 *
 * <p>A state in one piece is its runs, each as long as possible ({@code RunsCodec}). If the encoder
 * accepts pages, a byte precedes it: 0 for a state in one piece, or 1 for a state in pages, which
 * has the format:
 *
 * <pre>
 *   numbers  unsigned: the number of node numbers assigned so far
 *   root     a reference ({@code RunPages})
 *   starts   the leaf of each run ({@code RunStarts})
 *   parents  a map from each node's number to that of its parent
 * </pre>
 */
final class RgaStateCodec<C> {
  private final RunsCodec<C> runs;

  /**
   * @param name the name of the type, for messages
   */
  RgaStateCodec(String name, Content<C> content) {
    this.runs = new RunsCodec<>(name, content);
  }

  void write(Elements<C> elements, Encoder out) {
    Optional<PageWriter> pages = out.pages();
    if (pages.isPresent()) {
      boolean isInPages =
          elements.tree().size() >= pages.get().minEntries()
              || elements.tree().visibleBytes() > pages.get().maxInlineBytes();
      out.writeFlag(isInPages);
      if (isInPages) {
        elements.tree().writeInPages(runs, pages.get(), out);
        return;
      }
    }
    runs.write(elements.longestRuns(), out);
  }

  Elements<C> read(Decoder in) {
    Optional<Pages> pages = in.pages();
    if (pages.isPresent() && in.readFlag()) {
      return new Elements<>(
          runs.content(), RunTree.readInPages(new RunPages<>(pages.get(), runs), in));
    }
    return new Elements<>(runs.content(), tree(runs.read(in)));
  }

  private RunTree<C> tree(List<Run<C>> longest) {
    RunOrder order = new RunOrder(longest.stream().map(Run::ids).toList());
    runs.check(!order.isInterleaving(), "the dots of different runs interleave");
    List<Run<C>> pieces = new ArrayList<>(longest.size());
    for (int i = 0; i < longest.size(); i++) {
      boolean isOne = order.followsLeft(i) && longest.get(i - 1).precedes(longest.get(i));
      runs.check(!isOne, "two runs must be written as one");
      pieces.addAll(longest.get(i).pieces(runs.content()));
    }
    return RunTree.of(pieces);
  }
}
