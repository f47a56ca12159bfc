// The commands of a member of the council, in the container `council` of docker-compose.yml:
//   node scripts/dist/council/production.js COMMAND
import { council } from './main.js'

await council(process.argv.slice(2))
