// SPDX-License-Identifier: Apache-2.0
//! Files and folders that appear whole or not at all: they are written under a temporary name beside their
//! own, and renamed when they are complete. If they never are, nothing is left.

#![warn(missing_docs)]

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempDir};

/// Where things that are made or fetched once are kept: `$GPURF_CACHE`, or `gpurf` in the user's cache
/// folder; none if there is neither.
pub fn cache_folder() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("GPURF_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|cache| cache.join("gpurf")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/gpurf")))
}

/// Why a file or folder is not there.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be written; {reason}", path.display())]
pub struct Unwritable {
    /// Its own name, not the temporary one.
    pub path: PathBuf,
    /// The cause, and a remedy if there is one.
    pub reason: String,
}

/// Without the system's own message where that names the temporary file.
fn unwritable(path: &Path) -> impl Fn(io::Error) -> Unwritable + '_ {
    move |error| {
        let folder = folder_of(path);
        let reason = match error.kind() {
            _ if !folder.exists() => format!("the folder {} does not exist; make it", folder.display()),
            _ if !folder.is_dir() => format!("{} is no folder; name another file", folder.display()),
            _ if path.is_dir() => "it is a folder; name a file".into(),
            io::ErrorKind::PermissionDenied => "permission is denied; name another file".into(),
            io::ErrorKind::StorageFull => {
                "no space is left on the device; free some, or name another file".into()
            }
            io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only; name another file".into(),
            kind => error
                .raw_os_error()
                .map_or(kind.to_string(), |code| io::Error::from_raw_os_error(code).to_string()),
        };
        Unwritable { path: path.into(), reason }
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Tells whether a file of this name can be written, and leaves nothing.
pub fn check(path: &Path) -> Result<(), Unwritable> {
    match path.metadata() {
        // The first program that closes a pipe ends it.
        Ok(found) if !found.is_file() && !found.is_dir() => Ok(()),
        _ => NewFile::create(path).map(drop),
    }
}

/// Other temporary names are the owner's alone: these are as readable as whatever is made new.
fn beside(path: &Path, mode: u32) -> (tempfile::Builder<'static, 'static>, &Path) {
    let mut builder = tempfile::Builder::new();
    builder.permissions(Permissions::from_mode(mode));
    (builder, folder_of(path))
}

/// A file being written. What is not a plain file, such as a pipe or `/dev/null`, is written to in place.
pub struct NewFile {
    path: PathBuf,
    writer: Option<BufWriter<Destination>>,
}

enum Destination {
    InPlace(File),
    Temporary(NamedTempFile),
}

impl NewFile {
    /// Begins the file of this name. Its folder must exist.
    pub fn create(path: &Path) -> Result<NewFile, Unwritable> {
        let destination = if path.metadata().is_ok_and(|found| !found.is_file()) {
            fs::OpenOptions::new().write(true).open(path).map(Destination::InPlace)
        } else {
            let (builder, folder) = beside(path, 0o666);
            builder.tempfile_in(folder).map(Destination::Temporary)
        };
        let destination = destination.map_err(unwritable(path))?;
        Ok(NewFile { path: path.into(), writer: Some(BufWriter::new(destination)) })
    }

    /// Its name, once it is complete.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The same file for whoever must own what it writes to; all is to be written through one of the two.
    pub fn handle(&self) -> Result<File, Unwritable> {
        let handle = match self.writer.as_ref().map(BufWriter::get_ref) {
            Some(Destination::InPlace(file)) => file.try_clone(),
            Some(Destination::Temporary(file)) => file.as_file().try_clone(),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        handle.map_err(unwritable(&self.path))
    }

    /// Completes the file and gives it its name.
    pub fn finish(&mut self) -> Result<(), Unwritable> {
        let Some(writer) = self.writer.take() else { return Ok(()) };
        let written = writer.into_inner().map_err(io::IntoInnerError::into_error);
        let named = written.and_then(|destination| match destination {
            Destination::InPlace(_) => Ok(()),
            Destination::Temporary(file) => Ok(file.persist(&self.path).map(drop)?),
        });
        named.map_err(unwritable(&self.path))
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.as_mut().map_or(Err(io::ErrorKind::BrokenPipe.into()), |writer| writer.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.as_mut().map_or(Ok(()), BufWriter::flush)
    }
}

impl Write for Destination {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Destination::InPlace(file) => file.write(bytes),
            Destination::Temporary(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Destination::InPlace(file) => file.flush(),
            Destination::Temporary(file) => file.flush(),
        }
    }
}

/// Writes a file whole.
pub fn write(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Unwritable> {
    let mut file = NewFile::create(path)?;
    file.write_all(bytes.as_ref()).map_err(unwritable(path))?;
    file.finish()
}

/// A folder being filled.
pub struct NewFolder {
    path: PathBuf,
    temporary: TempDir,
}

impl NewFolder {
    /// Begins the folder of this name; those that it lies in are made.
    pub fn create(path: &Path) -> Result<NewFolder, Unwritable> {
        let (builder, parent) = beside(path, 0o777);
        let temporary = fs::create_dir_all(parent).and_then(|()| builder.tempdir_in(parent));
        Ok(NewFolder { path: path.into(), temporary: temporary.map_err(unwritable(path))? })
    }

    /// Where it is filled.
    pub fn temporary(&self) -> &Path {
        self.temporary.path()
    }

    /// Gives the folder its name, which none or an empty one may have had.
    pub fn finish(mut self) -> Result<(), Unwritable> {
        rename(self.temporary(), &self.path)?;
        self.temporary.disable_cleanup(true);
        Ok(())
    }
}

/// Gives its name to what another program has made whole, on the same file system.
pub fn rename(made: &Path, path: &Path) -> Result<(), Unwritable> {
    fs::rename(made, path).map_err(unwritable(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_file_appears_when_it_is_finished_with_the_mode_of_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let [path, plain] = ["new", "plain"].map(|name| folder.path().join(name));
        fs::write(&plain, "").unwrap();
        fs::write(&path, "before").unwrap();
        let mut file = NewFile::create(&path).unwrap();
        file.write_all(b"after").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"before");
        file.finish().unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"after".to_vec(), mode(&plain)));
        drop(NewFile::create(&path).unwrap());
        assert_eq!(names(folder.path()).len(), 2);
    }

    #[test]
    fn a_folder_appears_when_it_is_finished_with_the_mode_of_any_other() {
        let folder = tempfile::tempdir().unwrap();
        let [path, plain] = ["not/there/new", "plain"].map(|name| folder.path().join(name));
        fs::create_dir(&plain).unwrap();
        let new = NewFolder::create(&path).unwrap();
        fs::write(new.temporary().join("file"), "").unwrap();
        assert!(!path.exists());
        new.finish().unwrap();
        assert_eq!((names(&path), mode(&path)), (vec!["file".to_string()], mode(&plain)));
        // One that is full is not replaced, and what was meant to replace it is gone.
        assert!(NewFolder::create(&path).unwrap().finish().is_err());
        assert_eq!(names(path.parent().unwrap()), ["new"]);
    }

    #[test]
    fn errors_name_the_file() {
        let error = write(Path::new("/nowhere/new"), "").unwrap_err();
        assert_eq!(
            error.to_string(),
            "/nowhere/new: cannot be written; the folder /nowhere does not exist; make it"
        );
        let folder = tempfile::tempdir().unwrap();
        let error = write(folder.path(), "").unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("{}: cannot be written; it is a folder; name a file", folder.path().display())
        );
    }

    #[test]
    fn a_check_tells_what_writing_would_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let [new, below] = ["new", "new/below"].map(|name| folder.path().join(name));
        check(&new).unwrap();
        assert!(names(folder.path()).is_empty());
        assert!(check(&below).unwrap_err().to_string().contains("does not exist"));
        fs::write(&new, "kept").unwrap();
        check(&new).unwrap();
        assert_eq!(fs::read(&new).unwrap(), b"kept");
        assert!(check(&below).unwrap_err().to_string().contains("is no folder"));
        assert!(check(folder.path()).unwrap_err().to_string().contains("is a folder"));
        check(Path::new("/dev/null")).unwrap();
    }

    #[test]
    fn what_is_no_plain_file_stays_what_it_is() {
        write(Path::new("/dev/null"), "text").unwrap();
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
    }
}
