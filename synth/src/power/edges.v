module top(p0, p1, p2);
  input p0;
  input p1;
  output p2;
  probe c0 (.CK(p0), .D(p1), .Q(p2));
endmodule
