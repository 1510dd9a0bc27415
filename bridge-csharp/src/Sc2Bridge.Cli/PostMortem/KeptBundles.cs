using System.Text;

namespace Sc2Bridge.Cli;

/// <summary>Deletes the oldest post-mortems above a limit. Deletes only files that this program wrote.</summary>
internal static class KeptBundles
{
    internal const string JsonName = "post-mortem.json";

    internal const string PageName = "post-mortem.html";

    /// <summary>The id of the element with the report in the page.</summary>
    internal const string ReportId = "post-mortem";

    private const int MostBundles = 20;
    private const long MostBytes = 100_000_000;

    // The beginnings of the files that this program writes.
    private static readonly byte[] JsonBeginning = [.. "{\n  \"version\": 1,\n  \"cause\": {\n    \"kind\": "u8];
    private static readonly byte[] PageMark = Encoding.UTF8.GetBytes($"<script type=\"application/json\" id=\"{ReportId}\">");

    /// <summary>Applies the limits to an output folder, to the folders next to it, and to the games of their series. Skips what cannot be read or deleted.</summary>
    /// <param name="folder">The folder of a match or a series.</param>
    internal static void Apply(string folder)
    {
        var parent = Path.GetDirectoryName(Path.TrimEndingDirectorySeparator(Path.GetFullPath(folder)));
        var folders = SubfoldersOf(parent, "*").SelectMany(match => SubfoldersOf(match, "game-*").Prepend(match));
        var (count, bytes) = (0, 0L);
        foreach (var bundle in folders.Select(Bundle.In).OfType<Bundle>().OrderByDescending(bundle => bundle.Written).ToList())
        {
            count++;
            bytes += bundle.Bytes;
            if (count > 1 && (count > MostBundles || bytes > MostBytes))
            {
                bundle.Delete();
            }
        }
    }

    /// <summary>Deletes the files of an earlier match in a folder, if this program wrote them.</summary>
    /// <exception cref="IOException">A file of another program has the name of a file of a post-mortem, or a file cannot be deleted.</exception>
    /// <exception cref="UnauthorizedAccessException">A file cannot be read or deleted.</exception>
    internal static void ClearFolder(string folder)
    {
        FilesIn(folder).ForEach(file => file.Delete());
        if (new[] { JsonName, PageName }.Select(name => Path.Combine(folder, name)).FirstOrDefault(Path.Exists) is { } foreign)
        {
            throw new IOException($"{foreign} is not a file of this program: move it, or choose another folder with --out");
        }
    }

    // Links are skipped, because they may lead to folders of other programs.
    private static List<string> SubfoldersOf(string? folder, string pattern)
    {
        try
        {
            return folder is null ? [] : [.. new DirectoryInfo(folder).EnumerateDirectories(pattern).Where(one => one.LinkTarget is null).Select(one => one.FullName)];
        }
        catch (Exception unreadable) when (unreadable is IOException or UnauthorizedAccessException)
        {
            return [];
        }
    }

    // The files of a post-mortem, the report first.
    private static List<FileInfo> FilesIn(string folder)
    {
        List<FileInfo> files = [];
        Add(JsonName, bytes => bytes.StartsWith(JsonBeginning));
        Add(PageName, bytes => bytes.IndexOf(PageMark) >= 0);
        return files;

        void Add(string name, BytesTest isOwn)
        {
            var path = Path.Combine(folder, name);
            if (OutputPath.IsOwnFile(path) && isOwn(ReadBeginning(path)))
            {
                files.Add(new FileInfo(path));
            }
        }
    }

    // The files of one post-mortem. Another bridge may delete them at any time.
    private sealed record Bundle(List<FileInfo> Files, DateTime Written, long Bytes)
    {
        public static Bundle? In(string folder)
        {
            try
            {
                return FilesIn(folder) is { Count: > 0 } files ? new Bundle(files, files[0].LastWriteTimeUtc, files.Sum(file => file.Length)) : null;
            }
            catch (Exception unreadable) when (unreadable is IOException or UnauthorizedAccessException)
            {
                return null;
            }
        }

        public void Delete()
        {
            foreach (var file in Files)
            {
                try
                {
                    file.Delete();
                }
                catch (Exception kept) when (kept is IOException or UnauthorizedAccessException)
                {
                    // The next match tries again.
                }
            }
        }
    }

    private delegate bool BytesTest(ReadOnlySpan<byte> bytes);

    // The viewer's own code comes before the report.
    private static byte[] ReadBeginning(string path)
    {
        const int longest = 2_000_000;
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        var bytes = new byte[Math.Min(longest, file.Length)];
        return bytes[..file.ReadAtLeast(bytes, bytes.Length, throwOnEndOfStream: false)];
    }
}
