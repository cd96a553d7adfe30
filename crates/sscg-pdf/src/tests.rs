use std::io::Write;

use super::{PdfError, extract_lines, extract_text, headings};

/// Returns a PDF with these page contents, in Helvetica. It has no cross-reference table; the library rebuilds one.
fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut out = String::from("%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n");
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + 2 * page)).collect();
    out += &format!("2 0 obj <</Type /Pages /Count {} /Kids [{}]>> endobj\n", pages.len(), kids.join(" "));
    out += "3 0 obj <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>> endobj\n";
    for (page, content) in pages.iter().enumerate() {
        let id = 4 + 2 * page;
        out += &format!(
            "{id} 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents {} 0 R \
             /Resources <</Font <</F 3 0 R>>>>>> endobj\n",
            id + 1
        );
        out += &format!(
            "{} 0 obj <</Length {}>> stream\n{content}\nendstream endobj\n",
            id + 1,
            content.len() + 1
        );
    }
    out += "trailer <</Root 1 0 R>>\n%%EOF\n";
    out.into_bytes()
}

/// Returns content that shows lines of text, given as size, x, y from the bottom of the page, and text.
fn lines(lines: &[(u32, u32, u32, &str)]) -> String {
    let line =
        |(size, x, y, text): &(u32, u32, u32, &str)| format!("BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n");
    lines.iter().map(line).collect()
}

fn text_of(pages: &[&[(u32, u32, u32, &str)]]) -> String {
    let pages: Vec<String> = pages.iter().map(|page| lines(page)).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    extract_text(&pdf(&pages)).expect("there is text")
}

#[test]
fn what_is_set_larger_is_a_heading_that_tells_its_page() {
    let text = text_of(&[
        &[
            (24, 50, 600, "The manual"),
            (10, 50, 550, "What this is about, at some length."),
            (10, 50, 538, "More."),
        ],
        &[(10, 50, 600, "It goes on here, in the size of all text.")],
        &[(16, 50, 600, "Install"), (10, 50, 580, "Call the installer and wait for it.")],
    ]);
    assert_eq!(
        text,
        "# The manual (page 1)\nWhat this is about, at some length.\nMore.\n\n\
         [page 2]\nIt goes on here, in the size of all text.\n\n\
         ## Install (page 3)\n\nCall the installer and wait for it.\n"
            .replace("(page 1)\n", "(page 1)\n\n")
    );
    let found: Vec<_> = headings(&text).map(|it| (it.level, it.name, &text[it.start..it.end])).collect();
    assert_eq!(
        found,
        [
            (1, "The manual (page 1)", "# The manual (page 1)"),
            (7, "page 2", "[page 2]"),
            (2, "Install (page 3)", "## Install (page 3)"),
        ]
    );
}

#[test]
fn a_line_has_its_place_and_size() {
    let pages = extract_lines(&pdf(&[&lines(&[(20, 50, 600, "Words"), (10, 50, 400, "More")]), ""]));
    let pages = pages.expect("the file is valid");
    let found: Vec<Vec<_>> = pages
        .iter()
        .map(|lines| lines.iter().map(|it| (&*it.text, it.y, it.depth, it.size, it.glyphs)).collect())
        .collect();
    assert_eq!(found, [vec![("Words", 200.0, 0.25, 20.0, 5), ("More", 400.0, 0.5, 10.0, 4)], vec![]]);
}

#[test]
fn words_are_told_apart_by_the_room_between_them_and_those_cut_at_the_end_of_a_line_are_joined() {
    let content = "BT /F 10 Tf 50 600 Td [(Two) -300 (words and one inter-)] TJ 0 -12 Td (rupted by an end) Tj \
                   0 -60 Td (Apart) Tj ET";
    let text = extract_text(&pdf(&[content])).expect("there is text");
    assert_eq!(text, "[page 1]\nTwo words and one interrupted\nby an end\n\nApart\n");
}

#[test]
fn columns_are_read_one_after_the_other() {
    let column = |x| [(10, x, 600, "first line"), (10, x, 588, "second line")];
    let [left, right] = [column(50), column(300)].map(|column| lines(&column));
    let text = extract_text(&pdf(&[&(left + &right)])).expect("there is text");
    assert_eq!(text, "[page 1]\nfirst line\nsecond line\n\nfirst line\nsecond line\n");
}

#[test]
fn running_heads_are_left_out() {
    let page =
        |number: &str| lines(&[(10, 50, 780, "Manual of it"), (10, 50, 500, "Words."), (10, 50, 20, number)]);
    let pages = ["8", "9", "10"].map(page);
    let text = extract_text(&pdf(&pages.each_ref().map(String::as_str))).expect("there is text");
    assert_eq!(text, "[page 1]\nWords.\n\n[page 2]\nWords.\n\n[page 3]\nWords.\n");
}

#[test]
fn text_that_looks_like_a_heading_is_none() {
    let text = text_of(&[&[(10, 50, 600, "# define X"), (10, 50, 588, "[page 7]")]]);
    let names: Vec<&str> = headings(&text).map(|heading| heading.name).collect();
    assert_eq!(names, ["page 1"]);
}

#[test]
fn what_has_no_text_is_told_with_the_reason() {
    assert_eq!(extract_text(b""), Err(PdfError::Damaged));
    assert_eq!(extract_text(b"%PDF-1.7 and nothing of one"), Err(PdfError::Damaged));
    assert_eq!(extract_text(&pdf(&["0 0 100 100 re f"])), Err(PdfError::NoText));
}

/// Returns a PDF whose page draws form 0; form `n` draws the forms listed in `draws[n]`.
fn pdf_of_forms(draws: &[&[usize]]) -> Vec<u8> {
    let mut file = String::from_utf8(pdf(&["/X0 Do"])).expect("it is ASCII");
    let names = (0..draws.len()).map(|form| format!("/X{form} {} 0 R ", 100 + form)).collect::<String>();
    for (form, draws) in draws.iter().enumerate() {
        let content: String = draws.iter().map(|form| format!("/X{form} Do ")).collect();
        let content = format!("BT /F 10 Tf 50 {} Td (Form {form}.) Tj ET {content}", 780 - 15 * form);
        file += &format!(
            "{} 0 obj <</Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length {}>> stream\n{content}\nendstream endobj\n",
            100 + form,
            content.len() + 1
        );
    }
    file.replacen("<</Font", &format!("<</XObject <<{names}>> /Font"), 1).into_bytes()
}

#[test]
fn forms_are_read_where_they_are_drawn() {
    let text = extract_text(&pdf_of_forms(&[&[1, 2], &[2], &[]])).expect("there is text");
    assert_eq!(text.matches("Form 2.").count(), 2, "{text}");
}

#[test]
fn a_form_that_draws_itself_is_drawn_once() {
    let text = extract_text(&pdf_of_forms(&[&[0, 1], &[0, 1, 0]])).expect("there is text");
    assert_eq!(text, "[page 1]\nForm 0.\nForm 1.\n");
}

#[test]
fn forms_that_double_each_other_are_left() {
    let chain: Vec<[usize; 2]> = (0..40).map(|form| [form + 1; 2]).chain([[40; 2]]).collect();
    let chain: Vec<&[usize]> = chain.iter().map(<[usize; 2]>::as_slice).collect();
    assert_eq!(extract_text(&pdf_of_forms(&chain)), Err(PdfError::TooLong));
    // All forms draw all forms, so every order of them is a different path.
    let all: Vec<usize> = (0..30).collect();
    assert_eq!(extract_text(&pdf_of_forms(&vec![&all[..]; 30])), Err(PdfError::TooLong));
}

/// Returns a compressed stream of `length` zeros, about a thousandth of that size.
fn bomb(length: usize) -> Vec<u8> {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let zeroes = vec![b'0'; 1 << 20];
    for _ in 0..length >> 20 {
        packed.write_all(&zeroes).expect("memory takes it");
    }
    packed.finish().expect("memory takes it")
}

/// Returns a PDF whose page has this stream as its content, twice.
fn pdf_of_stream(filter: &str, stream: &[u8]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n\
        2 0 obj <</Type /Pages /Count 1 /Kids [3 0 R]>> endobj\n\
        3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents [4 0 R 4 0 R] /Resources <</Font \
        <</F <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>>> endobj\n"
        .to_vec();
    file.extend(format!("4 0 obj <</Filter {filter} /Length {}>> stream\n", stream.len()).bytes());
    file.extend(stream);
    file.extend(b"\nendstream endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n");
    file
}

#[test]
fn streams_are_unpacked_as_far_as_they_may() {
    let text = lines(&[(10, 50, 600, "Packed words.")]);
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packed.write_all(text.as_bytes()).expect("memory takes it");
    let packed = packed.finish().expect("memory takes it");
    let found = extract_text(&pdf_of_stream("/FlateDecode", &packed)).expect("there is text");
    assert_eq!(found.matches("Packed words.").count(), 2);
    let hex: String = packed.iter().map(|byte| format!("{byte:02x}")).collect();
    let chain = "[/ASCIIHexDecode /FlateDecode]";
    assert!(extract_text(&pdf_of_stream(chain, format!("{hex}>").as_bytes())).is_ok());

    let bomb = bomb(130 << 20);
    assert_eq!(extract_text(&pdf_of_stream("/FlateDecode", &bomb)), Err(PdfError::TooLong));
    let hex: String = bomb.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(extract_text(&pdf_of_stream(chain, format!("{hex}>").as_bytes())), Err(PdfError::TooLong));
    let twice = "[/FlateDecode /FlateDecode]";
    assert_eq!(extract_text(&pdf_of_stream(twice, &bomb)), Err(PdfError::TooLong));
}

#[test]
fn what_a_character_stands_for_is_no_way_to_an_endless_text() {
    let text = format!("BT /F 10 Tf 50 600 Td ({}) Tj ET", "A".repeat(10_000));
    let map = format!("1 beginbfchar <41> <{}> endbfchar", "0041".repeat(10_000));
    let file = String::from_utf8(pdf(&[&text])).expect("it is ASCII");
    let file = file.replacen("/Helvetica>>", "/Helvetica /ToUnicode 99 0 R>>", 1);
    let map = format!("99 0 obj <</Length {}>> stream\n{map}\nendstream endobj\n", map.len() + 1);
    assert_eq!(extract_text((file + &map).as_bytes()), Err(PdfError::TooLong));
}

#[test]
fn objects_are_not_unpacked_without_end() {
    // The library opens this object stream before any page is requested.
    let bomb = bomb(130 << 20);
    let mut file = b"%PDF-1.5\n7 0 obj <</Type /ObjStm /N 1 /First 4 /Filter /FlateDecode ".to_vec();
    file.extend(format!("/Length {}>>\nstream\n", bomb.len()).bytes());
    file.extend(bomb);
    file.extend(b"\nendstream endobj\n");
    file.extend(&pdf(&["BT /F 10 Tf (Words) Tj ET"])[9..]);
    assert_eq!(extract_text(&file), Err(PdfError::TooLong));
}

#[test]
fn a_file_that_takes_a_password_is_told() {
    let file = String::from_utf8(pdf(&["BT /F 10 Tf (Words) Tj ET"])).expect("it is ASCII");
    let key = "00".repeat(32);
    let lock = format!(
        "<</Root 1 0 R /ID [<00> <00>] /Encrypt <</Filter /Standard /V 1 /R 2 /P -4 /O <{key}> /U <{key}>>>>>"
    );
    let (objects, trailer) = file.split_once("trailer").expect("it has one");
    let trailer = trailer.replacen("<</Root 1 0 R>>", &lock, 1);
    // Without its cross-reference table, a file that cannot be decrypted counts as damaged.
    let places = (1..=5).map(|id| objects.find(&format!("{id} 0 obj")).expect("it is there"));
    let table: String = places.map(|place| format!("{place:010} 00000 n \n")).collect();
    let file = format!(
        "{objects}xref\n0 6\n0000000000 65535 f \n{table}trailer {}startxref\n{}\n%%EOF\n",
        trailer.replace("%%EOF\n", ""),
        objects.len()
    );
    assert_eq!(extract_text(file.as_bytes()), Err(PdfError::Encrypted));
}

#[test]
fn cut_and_changed_files_do_not_panic() {
    let whole = pdf(&[&lines(&[(10, 50, 600, "Words.")]), &lines(&[(20, 50, 600, "More words.")])]);
    for at in (0..whole.len()).step_by(7) {
        _ = extract_text(&whole[..at]);
        let mut changed = whole.clone();
        changed[at] = changed[at].wrapping_add(13);
        _ = extract_text(&changed);
    }
}
