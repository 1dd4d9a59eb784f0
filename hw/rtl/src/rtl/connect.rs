//! What a kernel drives, for rust-hdl's check of connections.

use std::collections::HashSet;

use proc_macro2::TokenStream;
use quote::{quote, ToTokens};
use syn::{Block, Expr, ExprIf, Stmt};

use super::path::{base_of, Assigned};

/// `fn connect` of a kernel that keeps all rules.
pub(super) fn connect(kernel: &Block) -> TokenStream {
    let mut driven = Driven::default();
    driven.block(kernel);
    let statements = driven.statements;
    quote! {
        #[allow(unused_variables)]
        fn connect(&mut self) {
            #statements
        }
    }
}

/// The targets of a block of statements, each once.
#[derive(Default)]
struct Driven {
    statements: TokenStream,
    known: HashSet<String>,
}

impl Driven {
    fn block(&mut self, block: &Block) {
        for statement in &block.stmts {
            if let Stmt::Expr(expr, _) = statement {
                self.statement(expr);
            }
        }
    }

    fn statement(&mut self, expr: &Expr) {
        match expr {
            Expr::Assign(assign) => {
                let signal = base_of(&assign.left, "next");
                self.drive(quote!(::rust_hdl::logic::logic_connect_fn(&mut #signal);));
            }
            Expr::If(choice) => self.conditional(choice),
            Expr::Match(choice) => choice.arms.iter().for_each(|arm| match &*arm.body {
                Expr::Block(body) => self.block(&body.block),
                statement => self.statement(statement),
            }),
            Expr::ForLoop(each) => {
                let mut inner = Driven::default();
                inner.block(&each.body);
                let (variable, range, statements) = (&each.pat, &each.expr, inner.statements);
                self.drive(quote!(for #variable in #range { #statements }));
            }
            Expr::Call(call) => {
                if let Some(Assigned { target, .. }) = Assigned::parse(call) {
                    self.drive(quote!(::gpurf_hw::dialect::wires::claim(&mut #target);));
                }
            }
            _ => {}
        }
    }

    fn conditional(&mut self, choice: &ExprIf) {
        self.block(&choice.then_branch);
        match choice.else_branch.as_ref().map(|(_, branch)| &**branch) {
            Some(Expr::If(next)) => self.conditional(next),
            Some(Expr::Block(last)) => self.block(&last.block),
            _ => {}
        }
    }

    fn drive(&mut self, statement: TokenStream) {
        if self.known.insert(statement.to_string()) {
            statement.to_tokens(&mut self.statements);
        }
    }
}
