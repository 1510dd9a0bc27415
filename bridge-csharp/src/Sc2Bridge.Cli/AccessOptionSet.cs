using System.CommandLine;
using System.CommandLine.Parsing;
using Sc2Bridge.Admission;
using static Sc2Bridge.Terminal.OptionKinds;

namespace Sc2Bridge.Cli;

/// <summary>The options for access control: tokens and TLS.</summary>
internal sealed class AccessOptionSet : OptionSet
{
    /// <summary>The environment variable with the lines of a token file, separated by <c>;</c>.</summary>
    internal const string TokensVariable = "SC2BRIDGE_TOKENS";

    /// <summary>The environment variable with the password of the PFX file or of the key.</summary>
    internal const string PasswordVariable = "SC2BRIDGE_TLS_PASSWORD";

    private readonly Option<string?> _tokens = Text(
        "--tokens", null, "FILE",
        "a file that says [who may connect](../guide/security.md#tokens): lines of `ROLE[,ROLE] TOKEN [side=N] [priority=N] [expires=TIME]`, with "
        + $"the roles `watch`, `hold`, `play` and `control`; `{TokensVariable}` can have such lines too");

    private readonly Option<bool> _insecure = Flag(
        "--insecure", "allow any client to connect without a token, also from other machines");

    private readonly Option<string?> _certificate = Text(
        "--tls-cert", null, "FILE", "the servers use [TLS](../guide/security.md#tls) with this certificate: PEM with its chain, or PFX");

    private readonly Option<string?> _key = Text(
        "--tls-key", null, "FILE", $"the certificate's key (PEM); `{PasswordVariable}` holds its password");

    private readonly Option<bool> _selfSigned = Flag(
        "--tls-self-signed",
        "the servers use TLS with a new certificate: `bridge.pem` in the output folder; its fingerprint is printed");

    private readonly Option<string?> _clientCa = Text(
        "--tls-client-ca", null, "FILE", "clients need a certificate that a CA in this file has signed (PEM)");

    /// <inheritdoc/>
    internal override IEnumerable<OptionGroup> Groups => [new("access", _tokens, _insecure, _certificate, _key, _selfSigned, _clientCa)];

    /// <summary>Reads the values of the options.</summary>
    /// <param name="parsed">The command line.</param>
    /// <param name="hosts">Host names for a certificate that this command creates.</param>
    /// <exception cref="CommandException">Options contradict each other.</exception>
    /// <exception cref="CredentialException">A file cannot be used.</exception>
    internal AccessOptions Read(ParseResult parsed, IEnumerable<string> hosts)
    {
        var now = DateTimeOffset.UtcNow;
        var (file, texts) = (parsed.GetValue(_tokens), new List<string>());
        var tokens = file is null ? TokenStore.Empty : TokenFile.Read(file, now, texts);
        tokens = TokenFile.Parse(Environment.GetEnvironmentVariable(TokensVariable) ?? "", TokensVariable, tokens, now, texts);
        var isInsecure = parsed.GetValue(_insecure);
        return isInsecure && !tokens.IsEmpty
            ? throw new CommandException($"--insecure contradicts --tokens and {TokensVariable}: leave one out")
            : new AccessOptions
            {
                Tokens = tokens,
                TokenTexts = texts,
                TokenFile = file,
                IsInsecure = isInsecure,
                Tls = ReadTls(parsed, hosts, now),
            };
    }

    private Tls? ReadTls(ParseResult parsed, IEnumerable<string> hosts, DateTimeOffset now)
    {
        var (file, key, ca) = (parsed.GetValue(_certificate), parsed.GetValue(_key), parsed.GetValue(_clientCa));
        var isSelfSigned = parsed.GetValue(_selfSigned);
        if (isSelfSigned && (file ?? key) is not null)
        {
            throw new CommandException("--tls-self-signed contradicts --tls-cert and --tls-key: leave one out");
        }

        if (file is null && !isSelfSigned)
        {
            return (key ?? ca) is null
                ? null
                : throw new CommandException(
                    $"{(key is null ? "--tls-client-ca" : "--tls-key")} is for TLS: add --tls-cert FILE"
                    + (key is null ? " or --tls-self-signed" : ""));
        }

        var clientCa = ca is null ? null : Tls.LoadClientCa(ca);
        return isSelfSigned
            ? Tls.SelfSigned(hosts, clientCa, now)
            : Tls.Load(file!, key, Environment.GetEnvironmentVariable(PasswordVariable), clientCa, now);
    }
}
