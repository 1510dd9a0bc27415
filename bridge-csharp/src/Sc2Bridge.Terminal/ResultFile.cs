using System.Text;
using Sc2Bridge.Files;

namespace Sc2Bridge.Terminal;

/// <summary>
/// A file for results: opened before anything is measured, so that one that cannot be written costs no time. What was
/// not written leaves nothing behind.
/// </summary>
public sealed class ResultFile : IDisposable
{
    private const string StandardOutput = "-";

    private readonly bool _made;
    private bool _written;

    private ResultFile(string path)
    {
        Path = path;
        if (IsOutput)
        {
            return;
        }

        if (OutputPath.LinkProblem(path) is { } problem)
        {
            throw new CommandException(problem);
        }

        _made = !File.Exists(path);
        using var file = new FileStream(path, _made ? FileMode.CreateNew : FileMode.Open, FileAccess.Write);
    }

    /// <summary>Where it is.</summary>
    public string Path { get; }

    /// <summary>Whether it is standard output.</summary>
    public bool IsOutput => IsOutputName(Path);

    /// <summary>Whether a file's name means standard output.</summary>
    public static bool IsOutputName(string? path) => path == StandardOutput;

    /// <summary>Makes sure that no result takes another one's place, or that of something else.</summary>
    /// <param name="results">Where results go; null for nowhere.</param>
    /// <param name="others">What is not to be written over, and what it is.</param>
    /// <exception cref="CommandException">One does.</exception>
    public static void CheckApart(
        IReadOnlyList<string?> results, IReadOnlyList<(string? Path, string Name)> others)
    {
        var taken = others.Where(other => !string.IsNullOrEmpty(other.Path))
            .ToLookup(other => Real(other.Path!), other => other.Name);
        HashSet<string> named = [];
        foreach (var result in results.Where(result => !string.IsNullOrEmpty(result) && !IsOutputName(result)))
        {
            var place = Real(result!);
            if (taken[place].FirstOrDefault() is { } what)
            {
                throw new CommandException($"{result} is {what}: name another file for the result");
            }

            if (!named.Add(place))
            {
                throw new CommandException($"{result} is named for two results: name a file for each");
            }
        }
    }

    /// <exception cref="CommandException">It cannot be written.</exception>
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
            throw new CommandException($"{path} cannot be written: {error.Message}", error);
        }
    }

    /// <summary>Replaces a file by a complete one. If the disk is full, nothing of the new one stays.</summary>
    /// <exception cref="IOException">It cannot be written, or is a link.</exception>
    /// <exception cref="UnauthorizedAccessException">It cannot be written.</exception>
    public static void WriteWhole(string path, string text)
    {
        var isDevice = OutputPath.IsDevice(path);
        try
        {
            using (var file = OutputPath.Replace(isDevice ? path : PartialFile.Of(path)))
            {
                file.Write(Encoding.UTF8.GetBytes(text));
            }

            if (!isDevice)
            {
                PartialFile.Publish(path);
            }
        }
        catch (IOException) when (!isDevice)
        {
            File.Delete(PartialFile.Of(path));
            throw;
        }
    }

    /// <summary>Writes the whole file.</summary>
    /// <exception cref="IOException">It cannot be written.</exception>
    public void Write(string text)
    {
        if (IsOutput)
        {
            Console.Out.Write(text);
        }
        else
        {
            WriteWhole(Path, text);
        }

        _written = true;
    }

    // Through links, as writing goes.
    private static string Real(string path)
    {
        var file = new FileInfo(path);
        return (file.Exists ? file.ResolveLinkTarget(returnFinalTarget: true) : null)?.FullName ?? file.FullName;
    }

    /// <summary>Somebody else has written it.</summary>
    public void Keep() => _written = true;

    /// <inheritdoc/>
    public void Dispose()
    {
        if (_made && !_written)
        {
            File.Delete(Path);
        }
    }
}
