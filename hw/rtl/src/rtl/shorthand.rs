//! What a kernel may say in one line: the loading of a register, wires that pass through, a parameter as the end of a
//! loop.

use syn::parse::{Parse, ParseStream};
use syn::visit_mut::{visit_block_mut, visit_expr_for_loop_mut, visit_expr_mut, VisitMut};
use syn::{bracketed, parse_quote, Block, Error, Expr, ExprForLoop, Ident, Macro, Pat, Result, Stmt, Token};

/// Writes shorthands out; what is wrong with one is kept.
#[derive(Default)]
pub(super) struct Shorthand {
    pub errors: Vec<Error>,
    /// Variables of the loops around.
    loops: Vec<Ident>,
}

impl VisitMut for Shorthand {
    fn visit_block_mut(&mut self, block: &mut Block) {
        let statements = std::mem::take(&mut block.stmts);
        block.stmts = statements.into_iter().flat_map(|statement| self.written_out(statement)).collect();
        visit_block_mut(self, block);
    }

    /// `for s in 0..slots` runs to a number that the module's declaration names.
    fn visit_expr_for_loop_mut(&mut self, each: &mut ExprForLoop) {
        Sizes(&self.loops).visit_expr_mut(&mut each.expr);
        if let Pat::Ident(variable) = &*each.pat {
            self.loops.push(variable.ident.clone());
            visit_expr_for_loop_mut(self, each);
            self.loops.pop();
        }
    }
}

impl Shorthand {
    fn written_out(&mut self, statement: Stmt) -> Vec<Stmt> {
        match &statement {
            Stmt::Expr(Expr::MethodCall(call), _) if call.method == "load" => {
                let register = &call.receiver;
                match &call.args.iter().collect::<Vec<_>>()[..] {
                    [enable, value] => vec![
                        parse_quote!(#register.enable.next = #enable;),
                        parse_quote!(#register.d.next = #value;),
                    ],
                    _ => {
                        let hint = "write `self.register.load(enable, value)`";
                        self.errors.push(Error::new_spanned(call, hint));
                        vec![]
                    }
                }
            }
            Stmt::Macro(call) if call.mac.path.is_ident("pass") => self.passed(&call.mac),
            _ => vec![statement],
        }
    }

    fn passed(&mut self, call: &Macro) -> Vec<Stmt> {
        match call.parse_body::<Pass>() {
            Ok(pass) => pass.wires.iter().map(|wire| pass.assignment(wire)).collect(),
            Err(error) => {
                let hint = format!(
                    "{error}\nhelp: write `pass!(self => self.part: wire, array[..], one[i], wire as name)`"
                );
                self.errors.push(Error::new(error.span(), hint));
                vec![]
            }
        }
    }
}

/// `pass!(from => to: wires)`.
struct Pass {
    from: Expr,
    to: Expr,
    wires: Vec<Wire>,
}

struct Wire {
    from: Ident,
    /// None for a single wire.
    elements: Option<Elements>,
    to: Ident,
}

enum Elements {
    /// `[..]`
    All,
    /// `[i]`
    One(Expr),
}

impl Parse for Pass {
    fn parse(input: ParseStream) -> Result<Self> {
        let from = input.parse()?;
        input.parse::<Token![=>]>()?;
        let to = input.parse()?;
        input.parse::<Token![:]>()?;
        let wires = input.parse_terminated(Wire::parse, Token![,])?;
        Ok(Pass { from, to, wires: wires.into_iter().collect() })
    }
}

impl Parse for Wire {
    fn parse(input: ParseStream) -> Result<Self> {
        let from: Ident = input.parse()?;
        let mut elements = None;
        if input.peek(syn::token::Bracket) {
            let index;
            bracketed!(index in input);
            elements = Some(match index.peek(Token![..]) {
                true => {
                    index.parse::<Token![..]>()?;
                    Elements::All
                }
                false => Elements::One(index.parse()?),
            });
        }
        let to = match input.parse::<Option<Token![as]>>()? {
            Some(_) => input.parse()?,
            None => from.clone(),
        };
        Ok(Wire { from, elements, to })
    }
}

impl Pass {
    fn assignment(&self, wire: &Wire) -> Stmt {
        let (source, target, Wire { from, to, .. }) = (&self.from, &self.to, wire);
        match &wire.elements {
            None => parse_quote!(#target.#to.next = #source.#from.val();),
            Some(Elements::One(index)) => {
                parse_quote!(#target.#to[#index].next = #source.#from[#index].val();)
            }
            Some(Elements::All) => parse_quote!(
                for element in 0..#target.#to.len() {
                    #target.#to[element].next = #source.#from[element].val();
                }
            ),
        }
    }
}

/// A plain lower-case name in the range of a loop is a number of the module.
struct Sizes<'a>(&'a [Ident]);

impl VisitMut for Sizes<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if let Expr::Path(path) = expr {
            if let Some(name) = path.path.get_ident() {
                if name != "self"
                    && !self.0.contains(name)
                    && name.to_string().starts_with(|letter: char| letter.is_lowercase())
                {
                    let field = quote::format_ident!("_{name}");
                    *expr = parse_quote!(self.#field);
                }
            }
            return;
        }
        visit_expr_mut(self, expr);
    }
}
