using System.Text;
using Sc2Bridge.Files;

namespace Sc2Bridge.Terminal;

/// <summary>
/// A file for results. It is opened before the command does its work, so that an error is reported at once. If no result is
/// written, a file that did not exist before is deleted.
/// </summary>
public sealed class ResultFile : IDisposable
{
    private const string StandardOutput = "-";

    private readonly bool _isNew;
    private bool _isWritten;

    private ResultFile(string path)
    {
        Path = path;
        if (IsStandardOutput)
        {
            return;
        }

        if (OutputPath.LinkProblem(path) is { } problem)
        {
            throw new CommandException(problem);
        }

        if (OutputPath.IsDevice(path))
        {
            // A pipe is not opened for this check, because the program that reads the pipe would see an end of file.
            return;
        }

        _isNew = !File.Exists(path);
        using var file = new FileStream(path, _isNew ? FileMode.CreateNew : FileMode.Open, FileAccess.Write);
    }

    /// <summary>The path of the file.</summary>
    public string Path { get; }

    /// <summary>Whether results go to standard output.</summary>
    public bool IsStandardOutput => IsStandardOutputName(Path);

    /// <summary>Whether a file name means standard output.</summary>
    public static bool IsStandardOutputName(string? path) => path == StandardOutput;

    /// <summary>Checks that no result overwrites another result or another file.</summary>
    /// <param name="results">The paths of results; null for a result that is not written.</param>
    /// <param name="others">Files that must not be overwritten, each with a description for the error.</param>
    /// <exception cref="CommandException">A result would overwrite a file.</exception>
    public static void CheckDistinct(
        IReadOnlyList<string?> results, IReadOnlyList<(string? Path, string Name)> others)
    {
        var taken = others.Where(other => !string.IsNullOrEmpty(other.Path))
            .ToLookup(other => ResolveLinks(other.Path!), other => other.Name);
        HashSet<string> named = [];
        foreach (var result in results.Where(result => !string.IsNullOrEmpty(result) && !IsStandardOutputName(result)))
        {
            var target = ResolveLinks(result!);
            if (taken[target].FirstOrDefault() is { } what)
            {
                throw new CommandException($"{result} is {what}: name another file for the result");
            }

            if (!named.Add(target))
            {
                throw new CommandException($"{result} is named for two results: name a file for each");
            }
        }
    }

    /// <summary>Opens a file for results; returns null if the path is null.</summary>
    /// <exception cref="CommandException">The file cannot be written.</exception>
    public static ResultFile? Open(string? path)
    {
        try
        {
            return path is null ? null
                : Directory.Exists(path) ? throw new CommandException($"{path} is a folder: name a file in it")
                : new ResultFile(path);
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException or ArgumentException)
        {
            throw new CommandException($"{path} cannot be written ({error.Message}): name another file", error);
        }
    }

    /// <summary>Replaces a file by a complete new file. If the disk is full, no part of the new file remains.</summary>
    /// <exception cref="IOException">The file cannot be written, or is a link.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be written.</exception>
    public static void WriteAtomically(string path, string text)
    {
        var isDevice = OutputPath.IsDevice(path);
        try
        {
            using (var file = OutputPath.OpenReplacement(isDevice ? path : PartialFile.PathFor(path)))
            {
                file.Write(Encoding.UTF8.GetBytes(text));
            }

            if (!isDevice)
            {
                PartialFile.Commit(path);
            }
        }
        catch (IOException) when (!isDevice)
        {
            File.Delete(PartialFile.PathFor(path));
            throw;
        }
    }

    /// <summary>Writes the whole file.</summary>
    /// <exception cref="IOException">The file cannot be written.</exception>
    public void Write(string text)
    {
        if (IsStandardOutput)
        {
            Console.Out.Write(text);
        }
        else
        {
            WriteAtomically(Path, text);
        }

        _isWritten = true;
    }

    // Follows links, because writing follows them too.
    private static string ResolveLinks(string path)
    {
        var file = new FileInfo(path);
        return (file.Exists ? file.ResolveLinkTarget(returnFinalTarget: true) : null)?.FullName ?? file.FullName;
    }

    /// <summary>Marks the file as written, after another part of the program has written it.</summary>
    public void MarkWritten() => _isWritten = true;

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_isNew && !_isWritten)
        {
            File.Delete(Path);
        }
    }
}
