//! Interpretation of a page's content stream, down to the glyphs that it shows.
//!
//! Only operators that affect text are interpreted: matrices, fonts and their sizes, and forms. Paths, images,
//! colors, patterns and clips are skipped.

use std::rc::Rc;
use std::sync::Arc;

use hayro_font::hayro_cmap::BfString;
use hayro_font::hayro_syntax::Pdf;
use hayro_font::hayro_syntax::content::TypedIter;
use hayro_font::hayro_syntax::content::ops::TypedInstruction;
use hayro_font::hayro_syntax::object::dict::keys::{CONTENTS, FONT, FORM, MATRIX, RESOURCES, SUBTYPE};
use hayro_font::hayro_syntax::object::{Array, Dict, Name, Number, ObjRef, Object, Stream};
use hayro_font::hayro_syntax::page::{Page, Resources};
use hayro_font::kurbo::{Affine, Point};
use hayro_font::{
    CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont, UNITS_PER_EM,
};
use rustc_hash::FxHashMap;

use crate::PdfError;
use crate::limits::{decoded, length_of_font};
use crate::page::{Glyph, Line, Lines};

/// Maximum work for all pages together, roughly in bytes of content read. A glyph, and a lookup of a form or font,
/// count as several bytes. The limit corresponds to about 5,000 dense pages, or several seconds.
const MAX_WORK: usize = 512 * 1024 * 1024;
const WORK_FOR_A_GLYPH: usize = 20;
const WORK_FOR_A_LOOKUP: usize = 4_000;

/// Maximum nesting depth of forms, and of saved states.
const MAX_DEPTH: usize = 24;
const MAX_STATES: usize = 10_000;

/// Returns the lines of each page in drawing order: typesetting programs write column after column.
///
/// # Errors
/// [`PdfError::TooLong`] if the work exceeds [`MAX_WORK`].
pub(crate) fn lines_of(pdf: &Pdf) -> Result<Vec<Vec<Line>>, PdfError> {
    let font_resolver: FontResolverFn = Arc::new(|query| {
        Some(match query {
            FontQuery::Standard(font) => font.get_font_data(),
            FontQuery::Fallback(font) => font.pick_standard_font().get_font_data(),
        })
    });
    let mut artist = Artist {
        left: MAX_WORK,
        cache: FontCache::new(),
        fonts: FxHashMap::default(),
        forms: FxHashMap::default(),
        font_resolver,
        cmap_resolver: Arc::new(hayro_cmap::load_embedded),
    };
    pdf.pages().iter().map(|page| artist.page(page)).collect()
}

/// Interpreter with the fonts and forms of a document.
struct Artist<'a> {
    left: usize,
    cache: FontCache<'a>,
    fonts: FxHashMap<ObjRef, Option<Font<'a>>>,
    forms: FxHashMap<ObjRef, Option<Rc<Form<'a>>>>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
}

/// Form: content that other content draws.
struct Form<'a> {
    content: Vec<u8>,
    matrix: Affine,
    resources: Option<Resources<'a>>,
}

/// Text state that content sets and `q` saves.
#[derive(Clone)]
struct State<'a> {
    transform: Affine,
    font: Option<Font<'a>>,
    size: f64,
    character_space: f64,
    word_space: f64,
    scaling: f64,
    leading: f64,
    rise: f64,
}

/// Text position in a content stream.
struct TextPosition<'a> {
    state: State<'a>,
    line: Affine,
    text: Affine,
}

impl TextPosition<'_> {
    fn set(&mut self, matrix: Affine) {
        self.line = matrix;
        self.text = matrix;
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.set(self.line * Affine::translate((x, y)));
    }

    /// Applies an operator that sets matrices, spacing or the position of the next line, also if it then shows text.
    fn apply(&mut self, operator: &TypedInstruction<'_, '_>) {
        use TypedInstruction as Op;

        match operator {
            Op::Transform(m) => self.state.transform *= matrix([m.0, m.1, m.2, m.3, m.4, m.5]),
            Op::BeginText(_) => self.set(Affine::IDENTITY),
            Op::SetTextMatrix(m) => self.set(matrix([m.0, m.1, m.2, m.3, m.4, m.5])),
            Op::CharacterSpacing(set) => self.state.character_space = set.0.as_f64(),
            Op::WordSpacing(set) => self.state.word_space = set.0.as_f64(),
            Op::HorizontalScaling(set) => self.state.scaling = set.0.as_f64() / 100.0,
            Op::TextLeading(set) => self.state.leading = set.0.as_f64(),
            Op::TextRise(set) => self.state.rise = set.0.as_f64(),
            Op::NextLine(by) => self.next_line(by.0.as_f64(), by.1.as_f64()),
            Op::NextLineAndSetLeading(by) => {
                self.state.leading = -by.1.as_f64();
                self.next_line(by.0.as_f64(), by.1.as_f64());
            }
            Op::NextLineUsingLeading(_) | Op::NextLineAndShowText(_) => {
                self.next_line(0.0, -self.state.leading)
            }
            Op::ShowTextWithParameters(text) => {
                self.state.word_space = text.0.as_f64();
                self.state.character_space = text.1.as_f64();
                self.next_line(0.0, -self.state.leading);
            }
            _ => {}
        }
    }

    /// Advances past a glyph, in the writing direction of the font.
    fn advance(&mut self, by: f64) {
        let is_vertical = self.state.font.as_ref().is_some_and(|font| !font.is_horizontal());
        let by = if is_vertical { (0.0, by) } else { (by * self.state.scaling, 0.0) };
        self.text *= Affine::translate(by);
    }
}

impl<'a> Artist<'a> {
    fn page(&mut self, page: &Page<'a>) -> Result<Vec<Line>, PdfError> {
        let mut content = Vec::new();
        let contents = page.raw().get::<Array<'_>>(CONTENTS);
        let several = contents.iter().flat_map(|streams| streams.iter::<Stream<'_>>());
        for stream in page.raw().get::<Stream<'_>>(CONTENTS).into_iter().chain(several) {
            let part = decoded(&stream)?;
            self.work(part.len() + WORK_FOR_A_LOOKUP)?;
            content.extend(part);
            content.push(b' ');
        }
        let [a, b, c, d, e, f] = page.initial_transform(true).as_coeffs();
        let state = State {
            transform: Affine::new([a, b, c, d, e, f]),
            font: None,
            size: 1.0,
            character_space: 0.0,
            word_space: 0.0,
            scaling: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let mut lines = Lines::of_height(f64::from(page.render_dimensions().1));
        self.draw(&content, page.resources(), state, &mut Vec::new(), &mut lines)?;
        Ok(lines.finish())
    }

    fn work(&mut self, work: usize) -> Result<(), PdfError> {
        self.left = self.left.checked_sub(work).ok_or(PdfError::TooLong)?;
        Ok(())
    }

    /// Draws a content stream. `inside` are the forms being drawn; a form is not drawn inside itself.
    fn draw(
        &mut self,
        content: &[u8],
        resources: &Resources<'a>,
        state: State<'a>,
        inside: &mut Vec<ObjRef>,
        lines: &mut Lines,
    ) -> Result<(), PdfError> {
        use TypedInstruction as Op;

        self.work(content.len())?;
        let mut at = TextPosition { state, line: Affine::IDENTITY, text: Affine::IDENTITY };
        let mut saved = Vec::new();
        let mut operators = TypedIter::new(content);
        while let Some(operator) = operators.next() {
            match operator {
                Op::SaveState(_) if saved.len() == MAX_STATES => return Err(PdfError::TooLong),
                Op::SaveState(_) => saved.push(at.state.clone()),
                Op::RestoreState(_) => at.state = saved.pop().unwrap_or(at.state),
                Op::TextFont(set) => {
                    at.state.font = self.font(&resources.fonts, set.0)?;
                    at.state.size = set.1.as_f64();
                }
                Op::SetGraphicsState(set) => self.set_graphics_state(set.0, resources, &mut at.state)?,
                Op::XObject(name) => self.draw_object(name.0, resources, &at.state, inside, lines)?,
                other => {
                    at.apply(&other);
                    self.show_text_of(&other, &mut at, lines)?;
                }
            }
        }
        Ok(())
    }

    /// Sets the font, if a named graphics state has one.
    fn set_graphics_state(
        &mut self,
        name: &Name<'_>,
        resources: &Resources<'a>,
        state: &mut State<'a>,
    ) -> Result<(), PdfError> {
        self.work(WORK_FOR_A_LOOKUP)?;
        let font = resources.get_ext_g_state(name).and_then(|state| state.get::<Array<'_>>(FONT));
        let mut font = font.iter().flat_map(|font| font.iter::<Object<'_>>());
        if let (Some(Object::Dict(font)), Some(Object::Number(size))) = (font.next(), font.next()) {
            state.font = self.open(&font)?;
            state.size = size.as_f64();
        }
        Ok(())
    }

    /// Draws a named object, if it is a form.
    fn draw_object(
        &mut self,
        name: &Name<'_>,
        resources: &Resources<'a>,
        state: &State<'a>,
        inside: &mut Vec<ObjRef>,
        lines: &mut Lines,
    ) -> Result<(), PdfError> {
        self.work(WORK_FOR_A_LOOKUP)?;
        // Streams are always indirect objects.
        let Some(id) = resources.x_objects.get_ref(name) else { return Ok(()) };
        if inside.contains(&id) || inside.len() == MAX_DEPTH {
            return Ok(());
        }
        if let Some(form) = self.form(id, &resources.x_objects, name)? {
            let state = State { transform: state.transform * form.matrix, ..state.clone() };
            let resources = form.resources.as_ref().unwrap_or(resources);
            inside.push(id);
            self.draw(&form.content, resources, state, inside, lines)?;
            inside.pop();
        }
        Ok(())
    }

    fn form(
        &mut self,
        id: ObjRef,
        among: &Dict<'a>,
        name: &Name<'_>,
    ) -> Result<Option<Rc<Form<'a>>>, PdfError> {
        if let Some(known) = self.forms.get(&id) {
            return Ok(known.clone());
        }
        let stream = among
            .get::<Stream<'a>>(name)
            .filter(|stream| stream.dict().get::<Name<'_>>(SUBTYPE).is_some_and(|subtype| *subtype == *FORM));
        let form = match stream {
            Some(stream) => {
                let content = decoded(&stream)?;
                self.work(content.len())?;
                let matrix = stream.dict().get::<[f64; 6]>(MATRIX).map_or(Affine::IDENTITY, Affine::new);
                let resources = stream.dict().get::<Dict<'a>>(RESOURCES).map(Resources::new);
                Some(Rc::new(Form { content, matrix, resources }))
            }
            None => None,
        };
        self.forms.insert(id, form.clone());
        Ok(form)
    }

    fn font(&mut self, fonts: &Dict<'a>, name: &Name<'_>) -> Result<Option<Font<'a>>, PdfError> {
        let id = fonts.get_ref(name);
        if let Some(known) = id.and_then(|id| self.fonts.get(&id)) {
            return Ok(known.clone());
        }
        let font = match fonts.get::<Dict<'a>>(name) {
            Some(font) => self.open(&font)?,
            None => self.standard_font(),
        };
        if let Some(id) = id {
            self.fonts.insert(id, font.clone());
        }
        Ok(font)
    }

    fn open(&mut self, font: &Dict<'a>) -> Result<Option<Font<'a>>, PdfError> {
        self.work(WORK_FOR_A_LOOKUP + font.data().len())?;
        self.work(length_of_font(font)?)?;
        Ok(self.cache.font(font, &self.font_resolver, &self.cmap_resolver))
    }

    /// Returns the font that viewers use if the file does not contain the named font.
    fn standard_font(&self) -> Option<Font<'a>> {
        self.cache.standard_font(StandardFont::Helvetica, &self.font_resolver)
    }

    /// Shows the text of an operator, after [`TextPosition::apply`].
    fn show_text_of(
        &mut self,
        operator: &TypedInstruction<'_, '_>,
        at: &mut TextPosition<'a>,
        lines: &mut Lines,
    ) -> Result<(), PdfError> {
        use TypedInstruction as Op;

        match operator {
            Op::ShowText(text) => self.show(text.0.as_bytes(), at, lines)?,
            Op::NextLineAndShowText(text) => self.show(text.0.as_bytes(), at, lines)?,
            Op::ShowTextWithParameters(text) => self.show(text.2.as_bytes(), at, lines)?,
            Op::ShowTexts(texts) => {
                for part in texts.0.iter::<Object<'_>>() {
                    match part {
                        Object::String(text) => self.show(text.as_bytes(), at, lines)?,
                        Object::Number(back) => at.advance(-em(back.as_f64()) * at.state.size),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn show(&mut self, bytes: &[u8], at: &mut TextPosition<'a>, lines: &mut Lines) -> Result<(), PdfError> {
        self.work(bytes.len() * WORK_FOR_A_GLYPH)?;
        let Some(font) = at.state.font.clone() else { return Ok(()) };
        let mut next = 0;
        while next < bytes.len() {
            let (code, length) = font.read_code(bytes, next);
            next += length;
            let State { transform, size, scaling, rise, .. } = at.state;
            let along = font.code_advance(code);
            let advance = if font.is_horizontal() { along.x } else { along.y };
            let to_page = transform * at.text * Affine::new([size * scaling, 0.0, 0.0, size, 0.0, rise]);
            let character = match font.glyph(font.map_code(code), code) {
                FontGlyph::Outline(glyph) => glyph.as_unicode(),
                FontGlyph::Type3(glyph) => glyph.as_unicode(),
            };
            if let Some(character) = character {
                let origin = to_page * Point::ZERO;
                let characters = match character {
                    BfString::Char(character) => String::from(character),
                    BfString::String(characters) => {
                        self.work(characters.len() * WORK_FOR_A_GLYPH)?;
                        characters
                    }
                };
                lines.add(&Glyph {
                    characters,
                    origin,
                    end: to_page * Point::new(em(advance), 0.0),
                    along: to_page * Point::new(1.0, 0.0) - origin,
                    size: (to_page * Point::new(0.0, 1.0)).distance(origin),
                });
            }
            let word_space = if code == 32 && length == 1 { at.state.word_space } else { 0.0 };
            at.advance(em(advance) * size + at.state.character_space + word_space);
        }
        Ok(())
    }
}

/// Converts a length from font units to ems.
fn em(units: f64) -> f64 {
    units / f64::from(UNITS_PER_EM)
}

fn matrix(numbers: [Number; 6]) -> Affine {
    Affine::new(numbers.map(|number| number.as_f64()))
}
