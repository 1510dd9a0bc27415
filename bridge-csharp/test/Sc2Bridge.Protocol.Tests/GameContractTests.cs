using System.Security.Cryptography;
using Google.Protobuf;
using Google.Protobuf.Reflection;
using SC2APIProtocol;

namespace Sc2Bridge.Protocol.Tests;

/// <summary>The files in proto/s2clientprotocol have the same descriptors as the game's contract.</summary>
public class GameContractTests
{
    /// <summary>
    /// SHA-256 of the ten descriptors, each without comments and json_names, in the order of their file names. It
    /// changes only when the game's own contract does. Then copy the new hash from this test's message.
    /// </summary>
    private const string PinnedDigest = "e1b5a02f6bff271b99bf66b3e601dd7f0e5a6521f5ddcb0d6c99a03c5e2f1f43";

    private static readonly string[] _names =
        ["common", "data", "debug", "error", "query", "raw", "sc2api", "score", "spatial", "ui"];

    [Fact]
    public void There_are_ten_files() => Assert.Equal(
        _names.Select(name => $"s2clientprotocol/{name}.proto"), Ours().Select(file => file.Name));

    [Fact]
    public void They_have_not_changed()
    {
        using var hash = IncrementalHash.CreateHash(HashAlgorithmName.SHA256);
        foreach (var file in Ours())
        {
            hash.AppendData(file.ToByteArray());
        }

        var digest = Convert.ToHexStringLower(hash.GetHashAndReset());
        Assert.True(digest == PinnedDigest, $"proto/s2clientprotocol differs from the game's contract: {digest}");
    }

    [Fact]
    [Trait("Needs", "real")]
    public void They_are_identical_with_the_games_own()
    {
        var theirs = FileDescriptorSet.Parser.ParseFrom(SharedFolder.Read("schema/s2clientprotocol.binpb"));
        var sorted = theirs.File.OrderBy(file => file.Name, StringComparer.Ordinal).Select(Canonical).ToArray();
        var ours = Ours();
        Assert.Equal(ours.Select(file => file.Name), sorted.Select(file => file.Name));
        foreach (var (own, game) in ours.Zip(sorted))
        {
            // The text first, because it shows the differences.
            Assert.Equal(game.ToString(), own.ToString());
            Assert.Equal(game.ToByteArray(), own.ToByteArray());
        }
    }

    private static FileDescriptorProto[] Ours()
    {
        var main = Response.Descriptor.File;
        return
        [
            .. main.Dependencies.Append(main).Select(file => Canonical(file.ToProto()))
                .OrderBy(file => file.Name, StringComparer.Ordinal),
        ];
    }

    /// <summary>Without the parts that a compiler adds or may omit: json_names and source locations.</summary>
    private static FileDescriptorProto Canonical(FileDescriptorProto file)
    {
        var copy = file.Clone();
        copy.SourceCodeInfo = null;
        foreach (var message in copy.MessageType)
        {
            ClearJsonNames(message);
        }

        foreach (var extension in copy.Extension)
        {
            extension.ClearJsonName();
        }

        return copy;
    }

    private static void ClearJsonNames(DescriptorProto message)
    {
        foreach (var field in message.Field.Concat(message.Extension))
        {
            field.ClearJsonName();
        }

        foreach (var nested in message.NestedType)
        {
            ClearJsonNames(nested);
        }
    }
}
