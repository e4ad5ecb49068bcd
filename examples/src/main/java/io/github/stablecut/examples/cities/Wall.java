package io.github.stablecut.examples.cities;

import io.github.stablecut.crdt.codec.Codec;
import io.github.stablecut.crdt.codec.KryoCodec;
import io.github.stablecut.key.BoundedCounterKey;
import io.github.stablecut.key.CounterKey;
import io.github.stablecut.key.Key;
import io.github.stablecut.key.RegisterKey;

/** The keys of the stored objects. All are in one bucket. */
final class Wall {
  static final String BUCKET = "wall";
  static final String POSTS = "post/";
  static final String COMMENTS = "comment/";

  /** The seats of the concert: each city sells those that it has rights to. */
  static final BoundedCounterKey SEATS = Key.boundedCounter(BUCKET, "seats");

  private static final Codec<Post> POST = KryoCodec.of(Post.class, 100).build();
  private static final Codec<Comment> COMMENT = KryoCodec.of(Comment.class, 101).build();

  private Wall() {}

  /**
   * A post.
   *
   * @param id its name; later posts have greater ids
   * @param city where it was written
   */
  record Post(String id, String city, String text) {}

  /**
   * A comment on a post.
   *
   * @param id its name; later comments have greater ids
   * @param post the id of the post
   * @param city where it was written
   */
  record Comment(String id, String post, String city, String text) {}

  static RegisterKey<Post> post(String id) {
    return Key.register(BUCKET, POSTS + id, POST);
  }

  static RegisterKey<Comment> comment(String id) {
    return Key.register(BUCKET, COMMENTS + id, COMMENT);
  }

  static CounterKey likes(String post) {
    return Key.counter(BUCKET, "likes/" + post);
  }
}
