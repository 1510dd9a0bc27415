namespace Sc2Bridge.Functional.Tests;

/// <summary>A disk of 300 KiB that only one program sees.</summary>
/// <param name="folder">The test's.</param>
internal sealed class SmallDisk(MatchFolder folder)
{
    /// <summary>Its path.</summary>
    public string Path { get; } = Directory.CreateDirectory(System.IO.Path.Combine(folder.Path, "disk")).FullName;

    /// <summary>The words that start a program on it. Skips the test if the disk cannot be created.</summary>
    /// <param name="afterwards">
    /// A line of shell that runs after the program. It copies files from the disk, which disappears with its
    /// namespace.
    /// </param>
    /// <param name="full">Whether the disk is full from the beginning.</param>
    public async Task<IReadOnlyList<string>> AroundAsync(string afterwards, bool full = false)
    {
        var first = full ? $"cat /dev/zero 2>/dev/null >{Path}/ballast" : ":";
        var script = $"""
            mount -t tmpfs -o size=300k none {Path}; {first}; "$@"; code=$?; {afterwards}; umount -l {Path}; exit $code
            """;

        // Root in a chroot has no user namespaces, but may mount.
        foreach (var around in (string[][])[["unshare", "-rm"], []])
        {
            using var can = BridgeProcess.Start([.. around, "sh", "-c", $"mount -t tmpfs none {Path} && umount {Path}"]);
            if ((await can.EndAsync()).ExitCode == 0)
            {
                return [.. around, "sh", "-c", script, "sh"];
            }
        }

        Assert.Skip("needs to mount a small disk: a mount namespace, or root");
        return [];
    }
}
