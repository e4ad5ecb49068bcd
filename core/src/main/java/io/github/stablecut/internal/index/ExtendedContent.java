package io.github.stablecut.internal.index;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The content of the few objects with several versions, unlisted effects, or intents. Immutable.
 */
final class ExtendedContent extends ObjectContent {
  private final Version[] older;
  private final @Nullable EffectSummary unlisted;
  private final List<Intent> intents;

  ExtendedContent(
      EffectList effects,
      @Nullable Version newest,
      int unfolded,
      Version[] older,
      @Nullable EffectSummary unlisted,
      List<Intent> intents) {
    super(effects, newest, unfolded);
    this.older = older;
    this.unlisted = unlisted;
    this.intents = intents;
  }

  @Override
  Version[] older() {
    return older;
  }

  @Override
  @Nullable EffectSummary summary() {
    return unlisted;
  }

  @Override
  public List<Intent> intents() {
    return intents;
  }
}
