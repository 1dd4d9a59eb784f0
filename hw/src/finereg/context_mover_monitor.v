// Every context moves once, word by word, those that leave before those that come: R §V-B.
//
// One context, any of them, is watched.

  (* anyseq *) reg [4:0] any_warp;
  (* anyseq *) reg any_way;
  reg [4:0] its_warp;
  reg is_leaving;
  // It still has to move; the word that is next; its CTA.
  reg waits;
  reg [15:0] next;
  reg [6:0] its_cta;
  // No context had a word half-way.
  wire its_turn = access && store == is_leaving && warp == its_warp;
  reg [15:0] was_last;
  reg goes_on;
  always @(posedge clock) begin
    was_last <= last_word;
    goes_on <= access && !done && !start;
    if (its_turn) begin
      next <= next + 1;
      if (next == last_word) waits <= 0;
    end
    if (start) begin
      waits <= is_leaving ? leaving[its_warp] : coming[its_warp];
      its_cta <= is_leaving ? outgoing : incoming;
      next <= 0;
    end
    if (reset) begin
      its_warp <= any_warp;
      is_leaving <= any_way;
      waits <= 0;
      next <= 0;
      its_cta <= 0;
      goes_on <= 0;
    end
  end

  // Contexts have as many words while they move.
  wire assume_words = !goes_on || last_word == was_last;

  // A context moves that has to, the next word of it, to or from its own CTA.
  wire prove_words = !its_turn || (waits && word == next && cta == its_cta);

  // Nothing is done while a context has more words.
  wire prove_done = !(done && waits) || (its_turn && next == last_word);

  // Something moves as long as a context has to.
  wire prove_moves = access || !waits;

  // Those that leave go before those that come.
  wire prove_order = !(waits && is_leaving && access) || store;

  // A context that has to move is noted.
  wire lemma_waits = (is_leaving ? inside.stores[its_warp] : inside.loads[its_warp]) == waits &&
    (!waits || (is_leaving ? inside.from : inside.to) == its_cta);

  // The word is that of the context that moves; the others are at their first.
  wire lemma_word = !waits || (its_turn ? word == next : next == 0);

  // Words do not go beyond the last one.
  wire lemma_last = !access || word <= last_word;

  // A context of several words comes.
  wire cover_comes = its_turn && !store && next == 2 && next == last_word;
